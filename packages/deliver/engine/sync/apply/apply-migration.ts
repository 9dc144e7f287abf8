import type { KubeObject, ManagedFieldsEntry } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../../model/fields.ts';

/**
 * JSON patch that hands the fields which the managers own by updates (client-side apply) to `to`'s server-side apply, so
 * that fields which leave the manifest are removed. Undefined if there is nothing to hand over.
 */
export function upgradeManagedFields(
  live: KubeObject,
  managers: readonly string[],
  to: string,
): JsonObject[] | undefined {
  const entries = live.metadata.managedFields ?? [];
  const isOld = (entry: ManagedFieldsEntry) =>
    entry.operation === 'Update' && !entry.subresource && managers.includes(entry.manager ?? '');
  const old = entries.filter(isOld);
  if (old.length === 0) return undefined;
  const own = entries.find((entry) => entry.manager === to && entry.operation === 'Apply' && !entry.subresource);
  const fields = [own, ...old].reduce<JsonObject>((union, entry) => unite(union, entry?.fieldsV1 ?? {}), {});
  const newest = old.at(-1) as ManagedFieldsEntry;
  const merged: ManagedFieldsEntry = {
    ...newest,
    ...own,
    manager: to,
    operation: 'Apply',
    fieldsType: 'FieldsV1',
    fieldsV1: withoutLastApplied(fields),
  };
  const rest = entries.filter((entry) => entry !== own && !isOld(entry));
  return [
    { op: 'replace', path: '/metadata/managedFields', value: [...rest, merged] },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
  ];
}

function unite(a: JsonObject, b: JsonObject): JsonObject {
  const result = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = result[name];
    result[name] = isObject(before) && isObject(value) ? unite(before, value) : value;
  }
  return result;
}

function withoutLastApplied(fields: JsonObject): JsonObject {
  const copy = structuredClone(fields);
  const metadata = copy['f:metadata'];
  const annotations = isObject(metadata) ? metadata['f:annotations'] : undefined;
  if (isObject(annotations)) delete annotations['f:kubectl.kubernetes.io/last-applied-configuration'];
  return copy;
}
