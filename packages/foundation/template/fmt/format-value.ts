import { typeOf, type Value } from '../value/value.ts';
import { formatGeneral } from './format-float.ts';
import { ValueFormatter } from './value-formatter.ts';

/** What `fmt.Sprint` prints for one value: the verb `%v`. */
export function formatValue(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return formatGeneral(value);
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  const formatter = new ValueFormatter();
  formatter.argument(value, 'v');
  return formatter.out;
}

/** The name of a value's type as `%T` prints it. */
export function typeName(value: Value): string {
  return typeOf(value)?.name ?? '<nil>';
}
