import { goQuote } from '@tiphys/go';
import { activate } from '../bounds/active-budget.ts';
import { Budget } from '../bounds/budget.ts';
import { TemplateError } from '../failure/template-error.ts';
import { builtinFunctions } from '../functions/builtin.ts';
import { freshRecorder } from '../recorder/fresh-recorder.ts';
import { normalize } from '../text/bytes.ts';
import { TracedText } from '../trace/traced-text.ts';
import type { TemplateSet } from '../value/template-set.ts';
import type { Value } from '../value/value.ts';
import type { Executed, ExecuteOptions } from './execute-options.ts';
import { Execution } from './execution.ts';

/** All functions that an execution with these has: Go's own and the given ones, which win. Keep the result: it is a copy. */
const merged = new WeakMap<object, ReadonlyMap<string, import('../value/function-spec.ts').FunctionSpec>>();

function withBuiltins(functions: ExecuteOptions['functions']): Execution['functions'] {
  if (!functions) return builtinFunctions;
  let all = merged.get(functions);
  if (!all) {
    all = new Map([...builtinFunctions, ...functions]);
    merged.set(functions, all);
  }
  return all;
}

/**
 * Executes the template of a name with data as its dot, as Go's ExecuteTemplate does.
 * Throws `TemplateError`: of kind `execution` with Go's message, `limit` or `cancelled` when the budget ends it.
 */
export function execute(set: TemplateSet, name: string, data: Value, options: ExecuteOptions = {}): Executed {
  const tracer = options.trace?.tracer;
  const execution = new Execution({
    set,
    functions: withBuiltins(options.functions),
    budget: options.budget ?? new Budget(),
    recorder: options.recorder ?? freshRecorder(),
    host: options.host,
    missingKey: options.missingKey ?? 'default',
    tracer,
  });
  const tree = set.lookup(name);
  if (!tree) {
    const message = `template: no template ${goQuote(name)} associated with template ${goQuote(name)}`;
    throw new TemplateError('execution', message, message, { template: name, line: 0 });
  }
  tracer?.start(options.trace?.scope ?? '');
  const before = activate(execution.budget);
  try {
    execution.run(tree, data ?? undefined);
  } catch (error) {
    throw execution.bounded(error);
  } finally {
    activate(before);
  }
  const text = normalize(execution.out);
  return tracer ? { text, trace: new TracedText(text, tracer.finish()) } : { text };
}
