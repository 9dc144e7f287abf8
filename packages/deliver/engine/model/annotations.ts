import type { KubeObject } from '@tiphys/kubernetes';

/** Names on objects that steer the engine; the same as upstream's. */
export const annotationNames = {
  trackingId: 'argocd.argoproj.io/tracking-id',
  installationId: 'argocd.argoproj.io/installation-id',
  hook: 'argocd.argoproj.io/hook',
  hookDeletePolicy: 'argocd.argoproj.io/hook-delete-policy',
  syncWave: 'argocd.argoproj.io/sync-wave',
  syncOptions: 'argocd.argoproj.io/sync-options',
  compareOptions: 'argocd.argoproj.io/compare-options',
  ignoreHealthcheck: 'argocd.argoproj.io/ignore-healthcheck',
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
  helmHook: 'helm.sh/hook',
  helmHookWeight: 'helm.sh/hook-weight',
  helmHookDeletePolicy: 'helm.sh/hook-delete-policy',
  helmResourcePolicy: 'helm.sh/resource-policy',
} as const;

/** Finalizer that keeps a hook's object until its result was read. */
export const hookFinalizer = 'argocd.argoproj.io/hook-finalizer';

/** Field manager of everything that a sync applies. */
export const syncFieldManager = 'argocd-controller';

export function annotation(object: KubeObject | undefined, name: string): string | undefined {
  return object?.metadata?.annotations?.[name];
}

/** The distinct entries of an annotation that holds a comma-separated list. */
export function annotationList(object: KubeObject | undefined, name: string): string[] {
  const text = annotation(object, name);
  if (!text) return [];
  return [...new Set(text.split(',').map((item) => item.trim()))].filter(Boolean);
}

/** Whether the object's sync options hold `option`, such as `Replace=true`. */
export function hasSyncOption(object: KubeObject | undefined, option: string): boolean {
  return annotationList(object, annotationNames.syncOptions).includes(option);
}

/** Value of `name=value` in the object's sync options. */
export function syncOptionValue(object: KubeObject | undefined, name: string): string | undefined {
  return optionValue(annotationList(object, annotationNames.syncOptions), name);
}

/** Value of the first `name=value` of a list of options. */
export function optionValue(options: readonly string[], name: string): string | undefined {
  return options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);
}

export function hasCompareOption(object: KubeObject | undefined, option: string): boolean {
  return annotationList(object, annotationNames.compareOptions).includes(option);
}
