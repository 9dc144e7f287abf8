import type { DefinitionVersion, TableColumn } from '@tiphys/apimachinery';
import { ageOf, type KubeObject } from '@tiphys/kubernetes';
import { compileJsonPath } from './json-path.ts';

/** The column of the age, which a custom resource without columns of its own has. */
export const AGE = {
  name: 'Age',
  type: 'date',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  jsonPath: '.metadata.creationTimestamp',
};
/** What the column of names says of itself. */
export const NAME =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';

export interface Printer {
  readonly columns: TableColumn[];
  readonly cells: (object: KubeObject, now: number) => unknown[];
}

/** Columns and cells of a custom resource's table: its own, or Age. */
export function printerOf(version: DefinitionVersion): Printer {
  const own = (version.additionalPrinterColumns?.length ? version.additionalPrinterColumns : [AGE]).map((column) => {
    const description =
      'description' in column && column.description
        ? column.description
        : `Custom resource definition column (in JSONPath format): ${column.jsonPath}`;
    return { priority: 0, format: '', ...column, description, find: compileJsonPath(column.jsonPath) };
  });
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: NAME, priority: 0 },
      ...own.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority })),
    ],
    cells: (object, now) => [
      object.metadata.name,
      ...own.map(({ type, find }) => cell(find?.(object) ?? [], type, now)),
    ],
  };
}

function cell(found: unknown[], type: string, now: number): unknown {
  const [value] = found;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : /^-?\d+$/.test(String(value)) ? Number(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? (Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now)) : null;
    default:
      return found.length > 1 ? found.map(text).join(' ') : text(value);
  }
}

function text(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
