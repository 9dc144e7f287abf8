/** What a field holds: a part by its name, or one of `text`, `number`, `bool`, `amount` (a number or a text), `any`. */
export interface FieldType {
  readonly name: string;
  readonly in: 'itself' | 'list' | 'map';
}

/** The fields of each part, by the part's name. */
export type FieldTable = ReadonlyMap<string, ReadonlyMap<string, FieldType>>;

/**
 * Reads a table. Each line is `Part: field field:Type …`, a deeper line goes on with the one above; `Type[]` is a list and
 * `Type{}` a map of them, and a field without a type is a text.
 */
export function fieldTable(...texts: readonly string[]): FieldTable {
  const table = new Map<string, Map<string, FieldType>>();
  let fields = new Map<string, FieldType>();
  for (const word of texts.join('\n').split(/\s+/).filter(Boolean)) {
    if (word.endsWith(':')) {
      fields = new Map();
      table.set(word.slice(0, -1), fields);
      continue;
    }
    const [field = '', type = 'text'] = word.split(':');
    const suffix = type.slice(-2);
    if (suffix === '[]') fields.set(field, { name: type.slice(0, -2), in: 'list' });
    else if (suffix === '{}') fields.set(field, { name: type.slice(0, -2), in: 'map' });
    else fields.set(field, { name: type, in: 'itself' });
  }
  return table;
}
