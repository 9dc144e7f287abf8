import type { KubeObject } from '@tiphys/kubernetes';
import { specOf } from '../model/objects.ts';

export interface IngressPath {
  path?: string;
  pathType?: string;
  backend?: { service?: { name?: string; port?: { name?: string; number?: number } }; [key: string]: unknown };
  [key: string]: unknown;
}

export interface IngressRule {
  http?: { paths?: IngressPath[]; [key: string]: unknown };
  [key: string]: unknown;
}

export interface IngressSpec {
  ingressClassName?: string;
  tls?: unknown[];
  rules?: IngressRule[];
  [key: string]: unknown;
}

export function ingressRef(namespace: string, name: string) {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace, name };
}

/** The Service that a path leads to; empty for a resource backend. */
export function serviceOf({ backend }: IngressPath): string {
  return backend?.service?.name ?? '';
}

/** The rules with their paths mapped. */
export function mapPaths(
  rules: readonly IngressRule[],
  map: (paths: readonly IngressPath[]) => IngressPath[],
): IngressRule[] {
  return rules.map((rule) =>
    rule.http ? { ...rule, http: { ...rule.http, paths: map(rule.http.paths ?? []) } } : rule,
  );
}

export function hasService(ingress: KubeObject, service: string): boolean {
  return (specOf<IngressSpec>(ingress).rules ?? []).some(({ http }) =>
    (http?.paths ?? []).some((path) => serviceOf(path) === service),
  );
}
