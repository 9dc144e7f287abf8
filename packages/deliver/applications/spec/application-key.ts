import type { Application } from '@tiphys/api';

/** `namespace/name`: the key of queues and maps. */
export function applicationKey(application: { metadata: { namespace?: string; name?: string } }): string {
  return `${application.metadata.namespace ?? ''}/${application.metadata.name ?? ''}`;
}

/**
 * The name that tracking annotations and labels carry: the bare name inside the control-plane namespace, else
 * `namespace_name`, as upstream.
 */
export function instanceName(application: Application, controlNamespace: string): string {
  const { namespace = '', name = '' } = application.metadata;
  return namespace === controlNamespace ? name : `${namespace}_${name}`;
}

/** The key of the application that an instance name stands for. */
export function keyOfInstance(instance: string, controlNamespace: string): string {
  const underscore = instance.indexOf('_');
  return underscore < 0
    ? `${controlNamespace}/${instance}`
    : `${instance.slice(0, underscore)}/${instance.slice(underscore + 1)}`;
}
