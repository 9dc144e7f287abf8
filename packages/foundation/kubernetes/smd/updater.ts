import type { ObjectType } from '../schema/object-type.ts';
import { type Comparison, compareObjects } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { mergeObjects } from './merge.ts';
import { reconcileWithSchema } from './reconcile-schema.ts';
import { removeFields } from './remove.ts';
import { sameValue } from './typed-value.ts';

/** What one manager owns, in the terms of one API version. */
export interface Ownership {
  set: FieldSet;
  apiVersion: string;
  applied: boolean;
}

/** Ownership by manager; the key is opaque here. */
export type Managers = ReadonlyMap<string, Ownership>;

/** An object in the form of an API version, with its type; undefined if the version is no longer served. */
export type Convert = (object: unknown, apiVersion: string) => { object: unknown; type: ObjectType } | undefined;

export interface UpdaterContext {
  apiVersion: string;
  type: ObjectType;
  convert: Convert;
  /** Fields that this request may not own, such as the status of an object that has a status subresource. */
  resetFields: (apiVersion: string) => FieldSet | undefined;
}

/** Fields that others own and that an apply would change. */
export class OwnershipConflict extends Error {
  readonly conflicts: ReadonlyMap<string, FieldSet>;

  constructor(conflicts: ReadonlyMap<string, FieldSet>) {
    super('apply conflicts with other managers');
    this.name = 'OwnershipConflict';
    this.conflicts = conflicts;
  }
}

/** Who owns what after the manager has written `next` over `live`: it gains what changed, the others lose it. */
export function trackUpdate(
  live: unknown,
  next: unknown,
  managers: Managers,
  manager: string,
  context: UpdaterContext,
): Managers {
  const reconciled = reconcile(live, managers, context);
  const { managers: result, comparison } = transfer(live, next, reconciled, manager, true, context);
  const before = result.get(manager)?.set ?? FieldSet.empty;
  const { added, modified, removed } = comparison;
  let set = before.difference(removed).union(modified).union(added);
  const reset = context.resetFields(context.apiVersion);
  if (reset) set = set.recursiveDifference(reset);
  if (set.isEmpty) result.delete(manager);
  else result.set(manager, { set, apiVersion: context.apiVersion, applied: false });
  return result;
}

/**
 * Merges the applied object into the live one: fields that the manager applied before and no longer applies go, unless
 * somebody else owns them. Throws `OwnershipConflict` unless forced. `object` is undefined when nothing changed.
 */
export function trackApply(
  live: unknown,
  applied: unknown,
  managers: Managers,
  manager: string,
  force: boolean,
  context: UpdaterContext,
): { object: unknown; managers: Managers } {
  const reconciled = reconcile(live, managers, context);
  const last = reconciled.get(manager);
  const merged = mergeObjects(live, applied, context.type);
  let set = fieldsOf(applied, context.type);
  const reset = context.resetFields(context.apiVersion);
  if (reset) set = set.recursiveDifference(reset);
  // the same set stays the same object, so that its encoded form is known
  if (last?.set.equals(set)) set = last.set;
  reconciled.set(manager, { set, apiVersion: context.apiVersion, applied: true });
  const drops = last && !(last.apiVersion === context.apiVersion && last.set.difference(set).isEmpty);
  const pruned = drops ? prune(merged, last, reconciled, context) : merged;
  const { managers: result } = transfer(live, pruned, reconciled, manager, force, context);
  return { object: sameValue(live, pruned) ? undefined : pruned, managers: result };
}

function reconcile(live: unknown, managers: Managers, context: UpdaterContext): Map<string, Ownership> {
  const result = new Map<string, Ownership>();
  for (const [manager, ownership] of managers) {
    const type = typeAt(live, ownership.apiVersion, context);
    if (!type) continue;
    const set = reconcileWithSchema(ownership.set, type);
    result.set(manager, set === ownership.set ? ownership : { ...ownership, set });
  }
  return result;
}

function typeAt(object: unknown, apiVersion: string, context: UpdaterContext): ObjectType | undefined {
  return apiVersion === context.apiVersion ? context.type : context.convert(object, apiVersion)?.type;
}

/** Takes from the other managers what `next` changes. */
function transfer(
  live: unknown,
  next: unknown,
  managers: Map<string, Ownership>,
  manager: string,
  force: boolean,
  context: UpdaterContext,
): { managers: Map<string, Ownership>; comparison: Comparison } {
  const comparison = compareObjects(live, next, context.type);
  const versions = new Map([[context.apiVersion, withoutReset(comparison, context.apiVersion, context)]]);
  const conflicts = new Map<string, FieldSet>();
  const result = new Map<string, Ownership>();
  for (const [name, ownership] of managers) {
    if (name === manager) {
      result.set(name, ownership);
      continue;
    }
    const changes = changesAt(live, next, ownership.apiVersion, versions, context);
    if (!changes) continue;
    const taken = ownership.set.intersection(changes.modified.union(changes.added));
    if (!taken.isEmpty) conflicts.set(name, taken);
    const set = ownership.set.difference(taken).difference(changes.removed);
    if (!set.isEmpty) result.set(name, set === ownership.set ? ownership : { ...ownership, set });
  }
  if (!force && conflicts.size > 0) throw new OwnershipConflict(conflicts);
  if (result.get(manager)?.set.isEmpty) result.delete(manager);
  return { managers: result, comparison: versions.get(context.apiVersion) ?? comparison };
}

function changesAt(
  live: unknown,
  next: unknown,
  apiVersion: string,
  versions: Map<string, Comparison>,
  context: UpdaterContext,
): Comparison | undefined {
  const known = versions.get(apiVersion);
  if (known) return known;
  const before = context.convert(live, apiVersion);
  const after = context.convert(next, apiVersion);
  if (!before || !after) return undefined;
  const comparison = withoutReset(compareObjects(before.object, after.object, before.type), apiVersion, context);
  versions.set(apiVersion, comparison);
  return comparison;
}

function withoutReset(comparison: Comparison, apiVersion: string, context: UpdaterContext): Comparison {
  const reset = context.resetFields(apiVersion);
  if (!reset) return comparison;
  return {
    added: comparison.added.recursiveDifference(reset),
    modified: comparison.modified.recursiveDifference(reset),
    removed: comparison.removed.recursiveDifference(reset),
  };
}

interface Versioned {
  object: unknown;
  apiVersion: string;
  type: ObjectType;
}

function at(value: Versioned, apiVersion: string, context: UpdaterContext): Versioned | undefined {
  if (value.apiVersion === apiVersion) return value;
  const converted = context.convert(value.object, apiVersion);
  return converted && { ...converted, apiVersion };
}

/** Removes what was applied last time and is not owned any more, by the applier or by anybody else. */
function prune(merged: unknown, last: Ownership, managers: Managers, context: UpdaterContext): unknown {
  const start = at({ object: merged, apiVersion: context.apiVersion, type: context.type }, last.apiVersion, context);
  if (!start) return merged;
  const removed = removeFields(start.object, last.set.withNamedFields(start.type), start.type);
  const owned = keepOwned(start, { ...start, object: removed }, managers, context);
  const final = keepDangling(start, owned, last, context);
  return at(final, context.apiVersion, context)?.object ?? merged;
}

/** Gives back what the removal took although a manager owns it. */
function keepOwned(merged: Versioned, pruned: Versioned, managers: Managers, context: UpdaterContext): Versioned {
  const owned = new Map<string, FieldSet>([[merged.apiVersion, FieldSet.empty]]);
  for (const { apiVersion, set } of managers.values()) {
    owned.set(apiVersion, (owned.get(apiVersion) ?? FieldSet.empty).union(set));
  }
  let result = pruned;
  // the version of the removal comes first, since other versions may need what was taken in order to be converted to
  for (const [apiVersion, set] of owned) {
    const all = at(merged, apiVersion, context);
    const rest = at(result, apiVersion, context);
    if (!all || !rest) continue;
    const { type } = all;
    const kept = fieldsOf(rest.object, type).withNamedFields(type).union(set.withNamedFields(type));
    const gone = fieldsOf(all.object, type).withNamedFields(type).difference(kept);
    result = { ...all, object: removeFields(all.object, gone, type) };
  }
  return result;
}

/** Gives back what the removal took although the manager had not applied it: it belongs to nobody, or to updaters. */
function keepDangling(merged: Versioned, pruned: Versioned, last: Ownership, context: UpdaterContext): Versioned {
  const rest = at(pruned, last.apiVersion, context);
  if (!rest) return merged;
  const { type } = merged;
  const before = fieldsOf(merged.object, type).withNamedFields(type);
  const after = fieldsOf(rest.object, type).withNamedFields(type);
  const gone = before.difference(after).intersection(last.set.withNamedFields(type));
  return { ...merged, object: removeFields(merged.object, gone, type) };
}
