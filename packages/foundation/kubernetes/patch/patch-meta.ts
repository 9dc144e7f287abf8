import type { ObjectType } from '../schema/object-type.ts';

export interface PatchMeta {
  /** Type of the field's value, or of a list's items. */
  type: ObjectType | undefined;
  strategy: 'merge' | 'replace' | '';
  retainKeys: boolean;
  mergeKey: string;
}

/** How strategic merge treats a field of an object; fields that the schema does not know are merged as plain JSON. */
export function patchMetaOf(type: ObjectType | undefined, name: string, value: unknown): PatchMeta {
  const map = type?.map;
  const field = map?.fields.get(name);
  const valueType = field?.type ?? map?.element;
  const strategies = field?.patchStrategies ?? [];
  return {
    type: Array.isArray(value) ? valueType?.list?.element : valueType,
    strategy: strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : '',
    retainKeys: strategies.includes('retainKeys'),
    mergeKey: field?.patchMergeKey ?? '',
  };
}
