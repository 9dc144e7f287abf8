import { execute, goValue, parse, sprigFunctions, TemplateError, TemplateSet } from '@tiphys/template';

const functions = sprigFunctions;
const names = new Set(functions.keys());
const known = new Map<string, TemplateSet>();
const mostKnown = 500;

/** A template of a sensor gave no text. */
export class ValueTemplateError extends Error {}

/**
 * Runs a Go template with Sprig over `.Input`, as filters and parameters do. Throws `ValueTemplateError` if it cannot be
 * read, fails, or gives an empty text or `<no value>`.
 */
export function runTemplate(text: string, input: unknown): string {
  const out = guarded(() => execute(compiled(text), 'param', new Map([['Input', goValue(input)]]), { functions }).text);
  if (out === '' || out === '<no value>')
    throw new ValueTemplateError(`template ${JSON.stringify(text)} evaluated to an empty text or no value`);
  return out;
}

function compiled(text: string): TemplateSet {
  const found = known.get(text);
  if (found) return found;
  const set = new TemplateSet();
  set.add(parse('param', text, { functions: names }));
  if (known.size >= mostKnown) known.clear();
  known.set(text, set);
  return set;
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateError) throw new ValueTemplateError(error.message);
    throw error;
  }
}
