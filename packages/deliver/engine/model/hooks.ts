import type { KubeObject } from '@tiphys/kubernetes';
import { annotation, annotationList, annotationNames } from './annotations.ts';
import type { HookType } from './model.ts';

const hookTypes: readonly string[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreDelete', 'PostDelete'];

/** All that the annotation of hooks may hold. */
export const hookTypeNames: readonly string[] = [...hookTypes, 'Skip'];

const helmTypes: Readonly<Record<string, HookType>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
  'pre-delete': 'PreDelete',
  'post-delete': 'PostDelete',
};

/** Phases that the object is a hook of; Helm's hooks count only where there is no valid Argo CD hook. May be empty for a hook that is misspelt. */
export function hookTypesOf(object: KubeObject): HookType[] {
  const own = annotationList(object, annotationNames.hook).filter((name): name is HookType => hookTypes.includes(name));
  if (own.length > 0 || annotationList(object, annotationNames.hook).includes('Skip')) return own;
  const helm = annotationList(object, annotationNames.helmHook).flatMap((name) => helmTypes[name] ?? []);
  return [...new Set(helm)];
}

/** `hook: Skip` alone: rendered, but neither applied nor compared. */
export function isSkipped(object: KubeObject): boolean {
  const names = annotationList(object, annotationNames.hook);
  return names.includes('Skip') && hookTypesOf(object).length === 0;
}

/** Whether the object is meant to be a hook, even of a type that we do not know. */
export function isHook(object: KubeObject): boolean {
  if (annotation(object, annotationNames.hook) !== undefined) return !isSkipped(object);
  const helm = annotation(object, annotationNames.helmHook);
  return helm !== undefined && helm !== 'crd-install';
}

export type DeletePolicy = 'BeforeHookCreation' | 'HookSucceeded' | 'HookFailed';

const policies: Readonly<Record<string, DeletePolicy>> = {
  BeforeHookCreation: 'BeforeHookCreation',
  HookSucceeded: 'HookSucceeded',
  HookFailed: 'HookFailed',
};

/** All that the annotation of their deletion may hold. */
export const hookDeletePolicies: readonly string[] = Object.keys(policies);

const helmPolicies: Readonly<Record<string, DeletePolicy>> = {
  'before-hook-creation': 'BeforeHookCreation',
  'hook-succeeded': 'HookSucceeded',
  'hook-failed': 'HookFailed',
};

/** When the hook's object is deleted; BeforeHookCreation if nothing valid is said. */
export function deletePoliciesOf(object: KubeObject): DeletePolicy[] {
  const own = annotationList(object, annotationNames.hookDeletePolicy).flatMap((name) => policies[name] ?? []);
  const helm = annotationList(object, annotationNames.helmHookDeletePolicy).flatMap((name) => helmPolicies[name] ?? []);
  const all = [...new Set([...own, ...helm])];
  return all.length > 0 ? all : ['BeforeHookCreation'];
}

/** The sync wave, else Helm's hook weight, else 0; texts that are no whole number count for nothing. */
export function waveOf(object: KubeObject): number {
  return (
    integer(annotation(object, annotationNames.syncWave)) ??
    integer(annotation(object, annotationNames.helmHookWeight)) ??
    0
  );
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
