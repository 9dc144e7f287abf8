import type { Container } from './types.ts';

/** A container that runs beside the agent of a workflow and does templates of kind `plugin`. */
export interface ExecutorPlugin {
  readonly name: string;
  readonly container: Container & { readonly name: string; readonly ports: readonly { containerPort: number }[] };
  /** Whether it has the token of the ServiceAccount `NAME-executor-plugin`. */
  readonly mountsToken: boolean;
}

interface Written {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly sidecar?: { readonly automountServiceAccountToken?: boolean; readonly container?: Container };
  };
}

/** A plugin of `spec.executorPlugins`, or what keeps it from being one, in upstream's words. */
export function pluginOfSpec(written: unknown): ExecutorPlugin | string {
  const { metadata, spec } = (written ?? {}) as Written;
  if (!metadata?.name) return 'executor plugin metadata name is mandatory';
  return plugin(metadata.name, spec?.sidecar?.container, spec?.sidecar?.automountServiceAccountToken === true);
}

/** A plugin with a container that is complete, or what is missing of it. */
export function plugin(name: string, container: Container | undefined, mountsToken: boolean): ExecutorPlugin | string {
  const { ports, resources, securityContext } = (container ?? {}) as Container & { ports?: unknown };
  if (!Array.isArray(ports) || !Number.isInteger(ports[0]?.containerPort)) return 'at least one port is mandatory';
  if (!resources?.requests) return 'resources requests are mandatory';
  if (!resources.limits) return 'resources limits are mandatory';
  if (!securityContext) return 'security context is mandatory';
  if (!container?.name) return 'a name of the container is mandatory';
  return { name, container: container as ExecutorPlugin['container'], mountsToken };
}
