import { goQuote } from '@tiphys/go';
import {
  type CallContext,
  define,
  executed,
  executedWithout,
  FunctionError,
  type FunctionMap,
  type FunctionSpec,
  type ParsedTemplate,
  parse,
  same,
  sprigFunctions,
  TemplateError,
  TemplateSet,
  type Value,
} from '@tiphys/template';
import { durationFunctions } from './durations.ts';
import { encodingFunctions } from './encoding-functions.ts';
import type { RenderState } from './render-state.ts';

const maxIncludes = 1000;
/** Marks around messages of `required` and `fail`, by which the engine finds them inside longer errors. */
export const messageStart = 'HELM_ERR_START';
export const messageEnd = 'HELM_ERR_END';

function include([name, data]: Value[], context: CallContext): Value {
  const { included } = context.host as RenderState;
  const key = name as string;
  const count = included.get(key) ?? 0;
  if (count > maxIncludes) {
    throw new FunctionError(`rendering template has a nested reference name: ${key}: unable to execute template`);
  }
  if (!context.set.lookup(key))
    throw new FunctionError(`template: no template ${goQuote(key)} associated with template "gotpl"`);
  included.set(key, count + 1);
  try {
    return context.executeTemplate(key, data);
  } finally {
    included.set(key, (included.get(key) ?? 1) - 1);
  }
}

const inline = 'gotpl';
/** What an action prints for nothing; Helm drops it. */
export const noValue = '<no value>';
const parsed = new Map<string, ParsedTemplate>();
/** UTF-16 units of all texts together. */
const maxCachedText = 2_000_000;
let cachedText = 0;

function parseInline(text: string): ParsedTemplate {
  const known = parsed.get(text);
  if (known) return known;
  const result = parse(inline, text, { functions: chartFunctions });
  cachedText += text.length;
  if (cachedText > maxCachedText) {
    parsed.clear();
    cachedText = text.length;
  }
  parsed.set(text, result);
  return result;
}

function tpl([text, data]: Value[], context: CallContext): Value {
  const source = text as string;
  context.trace?.inline(source, 0);
  let template: ParsedTemplate;
  try {
    template = parseInline(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new FunctionError(`cannot parse template ${goQuote(source)}: ${error.goMessage}`, error);
  }
  let set = context.set.clone();
  set.add(template);
  const own = template.trees.get(inline);
  if (own && set.lookup(inline) !== own) {
    // A text of nothing but definitions does not replace the text of the `tpl` around it, but is what runs.
    set = new TemplateSet(
      new Map([...set.names()].map((name) => [name, name === inline ? own : (set.lookup(name) as typeof own)])),
    );
  }
  try {
    return context.executeTemplate(inline, data, set).replaceAll(noValue, '');
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind === 'limit' || error.kind === 'cancelled') throw error;
    throw new FunctionError(`error during tpl function execution for ${goQuote(source)}: ${error.goMessage}`, error);
  }
}

function required([warning, value]: Value[]): Value {
  if (value === null || value === undefined || value === '')
    throw new FunctionError(`${messageStart}${warning as string}${messageEnd}`);
  return value;
}

function fail([message]: Value[]): Value {
  throw new FunctionError(`${messageStart}${message as string}${messageEnd}`);
}

function lookup([apiVersion, kind, namespace, name]: Value[], context: CallContext): Value {
  const { lookups } = context.host as RenderState;
  context.trace?.result(
    context.trace.origin('', ['lookup', ...[apiVersion, kind, namespace, name].map((step) => step as string)]),
  );
  return lookups({
    apiVersion: apiVersion as string,
    kind: kind as string,
    namespace: namespace as string,
    name: name as string,
  });
}

function all(): Map<string, FunctionSpec> {
  const functions = new Map(sprigFunctions);
  // A template must not see the environment nor the network.
  functions.delete('env');
  functions.delete('expandenv');
  functions.set(
    'getHostByName',
    define('string', () => ''),
  );
  for (const [name, spec] of [...encodingFunctions, ...durationFunctions]) functions.set(name, spec);
  functions.set('include', define('string, any', include, executed));
  functions.set('tpl', define('string, any', tpl, executedWithout(noValue)));
  functions.set('required', define('string, any', required, same(1)));
  functions.set('fail', define('string', fail));
  functions.set('lookup', define('string, string, string, string', lookup));
  return functions;
}

/** Every function that a chart's template can call besides Go's own. */
export const chartFunctions: FunctionMap = all();
