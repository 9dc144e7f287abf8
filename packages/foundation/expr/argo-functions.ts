import { define, encodeJson, FunctionError, GoFunction, goValue, sprigFunctions, type Value } from '@tiphys/template';
import { queryJson } from './json-path/json-path.ts';
import { JsonPathError } from './json-path/json-path-steps.ts';
import { compile } from './program.ts';

let made: ReadonlyMap<string, Value> | undefined;

/**
 * What Argo Workflows and Argo Events add to the language, as names of an environment: `asInt`, `asFloat`, `toJson`, `jsonpath`, and
 * `sprig` without what reads the environment of this process.
 */
export function argoFunctions(): ReadonlyMap<string, Value> {
  made ??= new Map<string, Value>([
    ['asInt', host('asInt', ([value]) => int.run(new Map([['x', value as Value]])))],
    ['asFloat', host('asFloat', ([value]) => float.run(new Map([['x', value as Value]])))],
    ['toJson', host('toJson', ([value]) => encodeJson(value as Value))],
    ['jsonpath', host('jsonpath', ([text, path]) => goValue(found(String(text), String(path))), 'string, string')],
    ['sprig', sprig()],
  ]);
  return made;
}

const int = compile('int(x)');
const float = compile('float(x)');

function found(text: string, path: string): unknown {
  try {
    return queryJson(text, path);
  } catch (error) {
    if (error instanceof JsonPathError) throw new FunctionError(error.message);
    throw error;
  }
}

function host(name: string, body: Parameters<typeof define>[1], parameters = 'any'): GoFunction {
  return new GoFunction({ name: `func ${name}`, kind: 'func', named: false }, define(parameters, body));
}

function sprig(): Map<string, Value> {
  const own = new Map<string, Value>();
  for (const [name, spec] of sprigFunctions) {
    if (name === 'env' || name === 'expandenv') continue;
    own.set(name, new GoFunction({ name: `func ${name}`, kind: 'func', named: false }, spec));
  }
  return own;
}
