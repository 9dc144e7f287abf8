import type { KubeObject } from '@tiphys/kubernetes';

interface Pods {
  readonly template?: { readonly spec?: { readonly containers?: readonly { readonly args?: readonly string[] }[] } };
}

/** Whether an object is a workload that runs Tiphys: its processes are told what they are by `--role`. */
export function isOurs({ kind, spec }: KubeObject): boolean {
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return false;
  const containers = (spec as Pods | undefined)?.template?.spec?.containers ?? [];
  return containers.some(({ args = [] }) => args.some((arg) => arg.startsWith('--role=')));
}
