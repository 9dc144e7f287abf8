import {
  define,
  defineTyped,
  FunctionError,
  GoMap,
  type GoType,
  mapOfAny,
  namedType,
  same,
  type Value,
  type ValueMap,
} from '@tiphys/template';
import { tableOf } from '../chart/value-tables.ts';
import { encodeYaml } from '../functions/yaml-encode.ts';

/** No value of a template is one. */
const writerType: GoType = { name: 'io.Writer', kind: 'interface', named: true };

/** The type of `.Values`, with the methods that templates can call on it. */
const valuesType = namedType('common.Values', mapOfAny, (type) => {
  const at = (receiver: Value, path: readonly string[]): ValueMap => {
    let table = entries(receiver);
    for (const step of path) {
      const next = tableOf(table.get(step));
      if (!next) throw new FunctionError(`${JSON.stringify(step)} is not a table`);
      table = next;
    }
    return table;
  };
  return {
    Encode: defineTyped([writerType], () => {
      throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
    }),
    AsMap: define('', ([receiver]) => entries(receiver), same(0)),
    YAML: define('', ([receiver]) => encodeYaml(receiver as Value)),
    Table: define('string', ([receiver, path]) => new GoMap(type, at(receiver as Value, (path as string).split('.')))),
    PathValue: define('string', ([receiver, path]) => {
      if (path === '') throw new FunctionError('YAML path cannot be empty');
      const steps = (path as string).split('.');
      const last = steps.pop() as string;
      const missing = new FunctionError(`${JSON.stringify(last)} is not a value`);
      let table: ValueMap;
      try {
        table = at(receiver as Value, steps);
      } catch (error) {
        if (error instanceof FunctionError) throw missing;
        throw error;
      }
      const found = table.get(last);
      if (!table.has(last) || tableOf(found)) throw missing;
      return found as Value;
    }),
  };
});

function entries(receiver: Value | undefined): ValueMap {
  return (receiver as GoMap).entries as ValueMap;
}

/** A table of values as templates see it. */
export function valuesOf(map: ValueMap): Value {
  return new GoMap(valuesType, map as Map<Value, Value>);
}
