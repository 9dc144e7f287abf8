import type { ManagedFieldsEntry } from '../object/object.ts';
import { FieldSet, type FieldsV1 } from './field-set.ts';
import type { Managers, Ownership } from './updater.ts';

/** Ownership of an object's fields with the time of each manager's last change. */
export interface Managed {
  fields: Map<string, Ownership>;
  times: Map<string, string>;
}

interface Identity {
  manager: string;
  operation: 'Apply' | 'Update';
  /** Empty for appliers, who are one manager whatever version they apply. */
  apiVersion: string;
  subresource: string;
}

export function managerId(identity: Identity): string {
  const { manager, operation, subresource } = identity;
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : identity.apiVersion, subresource]);
}

function identityOf(id: string): Identity {
  const [manager = '', operation, apiVersion = '', subresource = ''] = JSON.parse(id) as string[];
  return { manager, operation: operation as Identity['operation'], apiVersion, subresource };
}

/** Throws for entries that Kubernetes does not accept. */
export function decodeManaged(entries: readonly ManagedFieldsEntry[] | undefined): Managed {
  const managed: Managed = { fields: new Map(), times: new Map() };
  for (const [index, entry] of (entries ?? []).entries()) {
    const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
    if (!apiVersion) throw new Error('apiVersion must not be empty');
    if (!fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== 'FieldsV1')
      throw new Error(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`);
    const id = managerId({ manager, operation, apiVersion, subresource });
    const set = FieldSet.decode((fieldsV1 ?? {}) as FieldsV1);
    managed.fields.set(id, { set, apiVersion, applied: operation === 'Apply' });
    if (time) managed.times.set(id, time);
  }
  return managed;
}

/** The entries in the order that kube-apiserver writes: appliers first, then by time, manager, version and subresource. */
export function encodeManaged({
  fields,
  times,
}: {
  fields: Managers;
  times: ReadonlyMap<string, string>;
}): ManagedFieldsEntry[] {
  const entries: ManagedFieldsEntry[] = [];
  for (const [id, { set, apiVersion }] of fields) {
    const { manager, operation, subresource } = identityOf(id);
    const time = times.get(id);
    entries.push({
      manager,
      operation,
      apiVersion,
      ...(time ? { time } : {}),
      fieldsType: 'FieldsV1',
      fieldsV1: set.encode(),
      ...(subresource ? { subresource } : {}),
    });
  }
  return entries.sort(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      seconds(a.time) - seconds(b.time) ||
      compareText(a.manager, b.manager) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
}

/** `"kubectl" with subresource "status" using apps/v1`, as conflict messages name a manager. */
export function describeManager(id: string): string {
  const { manager, operation, apiVersion, subresource } = identityOf(id);
  const name = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : '');
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** More updaters than this are merged, oldest first. */
const mostUpdaters = 10;

/** Merges the oldest updaters of a version into `ancient-changes` until there are no more than ten. */
export function capUpdaters(managed: Managed): Managed {
  const { fields, times } = managed;
  const updaters = [...fields].filter(([, { applied }]) => !applied).map(([id]) => id);
  if (updaters.length <= mostUpdaters) return managed;
  updaters.sort((a, b) => seconds(times.get(a)) - seconds(times.get(b)) || compareText(a, b));
  const first = new Map<string, string>();
  let count = updaters.length;
  for (const id of updaters) {
    if (count <= mostUpdaters) break;
    const ownership = fields.get(id) as Ownership;
    const { apiVersion } = ownership;
    const earlier = first.get(apiVersion);
    if (earlier === undefined) {
      first.set(apiVersion, id);
      continue;
    }
    const bucket = managerId({ manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' });
    if (!fields.has(bucket)) {
      fields.set(bucket, fields.get(earlier) as Ownership);
      fields.delete(earlier);
    }
    const merged = ownership.set.union((fields.get(bucket) as Ownership).set);
    fields.set(bucket, { ...ownership, set: merged });
    fields.delete(id);
    times.set(bucket, times.get(id) ?? '');
    count--;
  }
  return managed;
}

function seconds(time: string | undefined): number {
  return time ? Math.floor(Date.parse(time) / 1000) : 0;
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
