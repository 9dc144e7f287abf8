import { gvkOf, type KubeObject, type ManagedFieldsEntry } from '../object/object.ts';
import { timestamp } from '../object/timestamp.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { compareObjects, isSame } from './compare.ts';
import { describePath, FieldSet } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import {
  capUpdaters,
  decodeManaged,
  describeManager,
  encodeManaged,
  type Managed,
  managerId,
} from './managed-fields.ts';
import { sameValue, TypedValueError } from './typed-value.ts';
import { OwnershipConflict, trackApply, trackUpdate, type UpdaterContext } from './updater.ts';
import { validateObject } from './validate.ts';
import { zeroObject } from './zero-object.ts';

export interface FieldManagerOptions {
  apiVersion: string;
  kind: string;
  /** Subresource of the requests, such as `status`; empty or absent for the object itself. */
  subresource?: string;
  /** Type of the kind in a version of its group; undefined if the version is not served. */
  typeOf: (apiVersion: string) => ObjectType | undefined;
  /** Converts between versions; without it only `apiVersion` is changed. */
  convert?: (object: KubeObject, apiVersion: string) => KubeObject;
  /** Fields that requests to this endpoint may not own. */
  resetFields?: (apiVersion: string) => FieldSet | undefined;
  /** A new object before anything is set: what Go types always write; from the type if absent. */
  zero?: KubeObject;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** An apply that cannot be done; `status` is the HTTP code that kube-apiserver answers with. */
export class ApplyError extends Error {
  readonly status: 400 | 409 | 500;
  /** For 409: each field with its owner. */
  readonly conflicts: readonly { message: string; field: string }[];

  constructor(status: 400 | 409 | 500, message: string, conflicts: readonly { message: string; field: string }[] = []) {
    super(message);
    this.name = 'ApplyError';
    this.status = status;
    this.conflicts = conflicts;
  }
}

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that nobody owns since the system writes them. */
const stripped = FieldSet.of(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
);

/** Keeps `metadata.managedFields` of the objects of one endpoint as kube-apiserver does. Objects given are never changed. */
export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #type: ObjectType;
  readonly #context: UpdaterContext;
  readonly #zero: KubeObject;

  constructor(options: FieldManagerOptions) {
    const { apiVersion, kind, typeOf, convert, resetFields } = options;
    const type = typeOf(apiVersion);
    if (!type) throw new Error(`no corresponding type for ${apiVersion}, Kind=${kind}`);
    this.#options = options;
    this.#type = type;
    this.#zero = options.zero ?? ({ ...(zeroObject(type) as object), apiVersion, kind } as KubeObject);
    this.#zero.metadata ??= {};
    this.#context = {
      apiVersion,
      type,
      resetFields: resetFields ?? (() => undefined),
      convert: (object, version) => {
        const target = typeOf(version);
        if (!target) return undefined;
        const from = object as KubeObject;
        return { object: convert ? convert(from, version) : { ...from, apiVersion: version }, type: target };
      },
    };
  }

  /**
   * The new object with its managed fields, after a create (`live` undefined), update or patch that is not an apply.
   * `manager` is the field manager's name, by default the first word of the User-Agent before its `/`.
   */
  update(live: KubeObject | undefined, next: KubeObject, manager: string): KubeObject {
    const managed = this.#decodeForUpdate(live, next);
    const { managedFields: given, ...metadata } = next.metadata;
    const bare: KubeObject = { ...next, metadata };
    if (live?.metadata.uid && managed.fields.size === 0) return bare;
    const before = live ? withoutManagedFields(live) : this.#zero;
    try {
      const entries = live?.metadata.managedFields;
      const unchanged = !given || given.length === 0 || given === entries || sameValue(given, entries);
      if (live && unchanged && entries?.length && isSame(compareObjects(before, bare, this.#type))) {
        return withManagedFields(bare, entries);
      }
      return withManagedFields(bare, encodeManaged(capUpdaters(this.#update(before, bare, managed, manager))));
    } catch (error) {
      // kube-apiserver too drops what it cannot track instead of failing the request
      if (error instanceof TypedValueError) return bare;
      throw error;
    }
  }

  /** The live object with the patch applied, and its managed fields. Throws `ApplyError`. The same object if nothing changed. */
  apply(live: KubeObject | undefined, patch: KubeObject, options: { manager: string; force?: boolean }): KubeObject {
    const { apiVersion, kind } = this.#options;
    const { group, version } = gvkOf(patch);
    if (patch.apiVersion !== apiVersion || patch.kind !== kind) {
      throw new ApplyError(400, `invalid object type: ${group}/${version}, Kind=${patch.kind}`);
    }
    if (patch.metadata.managedFields) throw new ApplyError(400, 'metadata.managedFields must be nil');
    try {
      validateObject(patch, this.#type);
    } catch (error) {
      if (!(error instanceof TypedValueError)) throw error;
      const [namespace, name] = [patch.metadata.namespace, patch.metadata.name].map(textOf);
      const where = `${namespace}/${name}; ${group}/${version}, Kind=${patch.kind}`;
      throw new ApplyError(500, `failed to create typed patch object (${where}): ${error.message}`);
    }
    const before = live ? withoutManagedFields(live) : this.#zero;
    const stored = this.#decodeForApply(live);
    let managed = stored;
    if (managed.fields.size === 0) managed = this.#adoptExisting(before, managed);
    const result = this.#applyAdopting(before, patch, managed, options.manager, options.force ?? false);
    return this.#finish(live, stored, before, result);
  }

  /** What is there before the first apply is somebody's; what has no keys to tell its items apart cannot be. */
  #adoptExisting(before: KubeObject, managed: Managed): Managed {
    try {
      validateObject(before, this.#type);
    } catch (error) {
      if (!(error instanceof TypedValueError)) throw error;
      const { group, version } = gvkOf(before);
      const [namespace, name] = [before.metadata.namespace, before.metadata.name].map(textOf);
      throw new ApplyError(
        500,
        `failed to create manager for existing fields: failed to convert new object (${namespace}/${name}; ${group}/${version}, Kind=${before.kind}) to smd typed: ${error.message}`,
      );
    }
    return this.#update(this.#zero, before, managed, 'before-first-apply');
  }

  #finish(
    live: KubeObject | undefined,
    stored: Managed,
    before: KubeObject,
    result: { object: KubeObject | undefined; managed: Managed },
  ): KubeObject {
    const object = result.object ?? before;
    const same = live && sameOwners(stored, result.managed) && (object === before || sameValue(object, before));
    return same ? live : withManagedFields(object, encodeManaged(result.managed));
  }

  #decodeForUpdate(live: KubeObject | undefined, next: KubeObject): Managed {
    const given = next.metadata.managedFields;
    if (!this.#options.subresource) {
      // an empty list, or one empty entry, is the documented way to clear them
      const isReset = given && (given.length === 0 || (given.length === 1 && Object.keys(given[0] ?? {}).length === 0));
      if (isReset) return { fields: new Map(), times: new Map() };
      const managed = decodeOrEmpty(given);
      if (managed.fields.size > 0) return managed;
    }
    return decodeOrEmpty(live?.metadata.managedFields);
  }

  #decodeForApply(live: KubeObject | undefined): Managed {
    try {
      return decodeManaged(live?.metadata.managedFields);
    } catch (error) {
      throw new ApplyError(
        500,
        `failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #managerId(manager: string, operation: 'Apply' | 'Update'): string {
    const { apiVersion, subresource = '' } = this.#options;
    return managerId({ manager: manager || 'unknown', operation, apiVersion, subresource });
  }

  #timestamp(): string {
    return timestamp(this.#options.now());
  }

  #update(before: KubeObject, next: KubeObject, managed: Managed, manager: string): Managed {
    const self = 'current-operation';
    const fields = new Map(trackUpdate(before, next, managed.fields, self, this.#context));
    const times = new Map(managed.times);
    const gained = fields.get(self);
    fields.delete(self);
    const set = gained?.set.difference(stripped);
    if (gained && set && !set.isEmpty) {
      const id = this.#managerId(manager, 'Update');
      const previous = fields.get(id);
      fields.set(id, { ...gained, set: previous ? set.union(previous.set) : set });
      times.set(id, this.#timestamp());
    }
    return { fields, times };
  }

  #apply(
    before: KubeObject,
    patch: KubeObject,
    managed: Managed,
    id: string,
    force: boolean,
  ): { object: KubeObject | undefined; managed: Managed } {
    const { object, managers } = trackApply(before, patch, managed.fields, id, force, this.#context);
    const fields = new Map(managers);
    const times = new Map(managed.times);
    const own = fields.get(id);
    if (own) {
      const rest = own.set.difference(stripped);
      const previous = managed.fields.get(id)?.set;
      const set = previous?.equals(rest) ? previous : rest;
      if (set.isEmpty) fields.delete(id);
      else fields.set(id, { ...own, set });
    }
    if (object !== undefined) times.set(id, this.#timestamp());
    return { object: object as KubeObject | undefined, managed: { fields, times } };
  }

  /** `kubectl` may take over what its own client-side apply has written; everybody else meets the conflict. */
  #applyAdopting(
    before: KubeObject,
    patch: KubeObject,
    managed: Managed,
    manager: string,
    force: boolean,
  ): { object: KubeObject | undefined; managed: Managed } {
    const id = this.#managerId(manager, 'Apply');
    try {
      const result = this.#apply(before, patch, managed, id, force);
      return manager === 'kubectl' ? { ...result, object: syncLastApplied(result.object ?? before, patch) } : result;
    } catch (error) {
      if (!(error instanceof OwnershipConflict)) throw error;
      let conflicts = error.conflicts;
      const allowed = manager === 'kubectl' ? this.#lastApplied(before) : undefined;
      if (allowed) {
        const left = [...conflicts].map(([name, set]) => [name, set.difference(allowed)] as const);
        conflicts = new Map(left.filter(([, set]) => !set.isEmpty));
        if (conflicts.size === 0) {
          const result = this.#apply(before, patch, managed, id, true);
          return { ...result, object: syncLastApplied(result.object ?? before, patch) };
        }
      }
      throw conflictError(conflicts);
    }
  }

  /** Fields of the last client-side apply that still have the value applied. */
  #lastApplied(live: KubeObject): FieldSet | undefined {
    const text = live.metadata.annotations?.[lastAppliedAnnotation];
    if (!text) return undefined;
    let last: KubeObject;
    try {
      last = JSON.parse(text) as KubeObject;
    } catch {
      return undefined; // an annotation that cannot be read allows nothing
    }
    if (last?.apiVersion !== this.#options.apiVersion) return undefined;
    const { added, modified, removed } = compareObjects(last, live, this.#type);
    return fieldsOf(last, this.#type).difference(modified).difference(added).difference(removed);
  }
}

/** What is no text counts as absent. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function syncLastApplied(object: KubeObject, patch: KubeObject): KubeObject {
  if (!object.metadata.annotations?.[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: _, ...annotations } = patch.metadata.annotations ?? {};
  const last = { ...patch, metadata: { ...patch.metadata, ...(patch.metadata.annotations ? { annotations } : {}) } };
  const text = `${JSON.stringify(last)}\n`;
  const metadata = {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [lastAppliedAnnotation]: text },
  };
  return { ...object, metadata };
}

function conflictError(conflicts: ReadonlyMap<string, FieldSet>): ApplyError {
  const byManager = [...conflicts]
    .map(([id, set]) => ({ manager: describeManager(id), fields: [...set.paths()].map(describePath) }))
    .sort((a, b) => (a.manager < b.manager ? -1 : 1));
  const causes = byManager.flatMap(({ manager, fields }) =>
    fields.map((field) => ({ message: `conflict with ${manager}`, field })),
  );
  const [only] = causes;
  const text =
    causes.length === 1 && only
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${byManager
          .flatMap(({ manager, fields }) => [`conflicts with ${manager}:`, ...fields.map((field) => `- ${field}`)])
          .join('\n')}`;
  return new ApplyError(409, text, causes);
}

function decodeOrEmpty(entries: ManagedFieldsEntry[] | undefined): Managed {
  try {
    return decodeManaged(entries);
  } catch {
    return { fields: new Map(), times: new Map() }; // as kube-apiserver: entries that cannot be read count as none
  }
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (!object.metadata.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManagedFields(object: KubeObject, managedFields: ManagedFieldsEntry[]): KubeObject {
  return managedFields.length > 0 ? { ...object, metadata: { ...object.metadata, managedFields } } : object;
}

function sameOwners(a: Managed, b: Managed): boolean {
  if (a.fields.size !== b.fields.size) return false;
  for (const [id, { set, apiVersion }] of a.fields) {
    const other = b.fields.get(id);
    if (!other || other.apiVersion !== apiVersion || !other.set.equals(set)) return false;
  }
  return true;
}
