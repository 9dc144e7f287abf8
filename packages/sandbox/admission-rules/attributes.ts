import { forbidden, type Resource, type ServerContext, type StatusError, type User } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';

/** What admission decides about. */
export interface Attributes {
  readonly server: ServerContext;
  readonly resource: Resource;
  readonly subresource: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly user: User;
  readonly dryRun: boolean;
  /** Empty for objects whose name is yet to be made. */
  readonly name: string;
  /** A namespace's own name for the namespace itself, empty for other cluster-scoped objects. */
  readonly namespace: string;
  /** Kind of `object`, where it is not the resource's own: a Scale, an Eviction. */
  readonly kind: { group: string; version: string; kind: string };
  /** Options of the request as the review shows them. */
  readonly options: Record<string, unknown>;
  /** Changed in place by mutating admission; undefined on deletion. */
  object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  readonly warn: (text: string) => void;
  /** Adds to the audit event of the request. */
  readonly annotate: (key: string, value: string) => void;
}

/** Forbidden, as admission plugins say it; an object without a name is called by its prefix. */
export function admissionForbidden(attributes: Attributes, why: string): StatusError {
  const { resource, object } = attributes;
  const name = object?.metadata?.name || attributes.name || object?.metadata?.generateName || 'Unknown';
  return forbidden({ group: resource.group, name: resource.plural }, name, why);
}

/** Replaces the content of an object that is private to the request. */
export function replaceContent(object: KubeObject, next: KubeObject): void {
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, next);
}

/** The object's namespace, of requests within one. */
export function namespaceOf({ server, resource, namespace }: Attributes): KubeObject | undefined {
  if (!namespace || resource.collection === 'namespaces') return undefined;
  return server.store.collection('namespaces').get(namespace)?.object;
}
