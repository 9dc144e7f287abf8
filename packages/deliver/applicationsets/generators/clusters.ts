import type { ClusterGenerator } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { normalizeName } from '../params/names.ts';
import { newParams, type Params } from '../params/params.ts';
import { compileSelector, selectsSome } from '../params/selector.ts';
import type { Generator } from './generator.ts';
import { addValues } from './values.ts';

export const inClusterServer = 'https://kubernetes.default.svc';
export const inClusterName = 'in-cluster';

/** The plain text of a key of a Secret. */
export function secretValue(secret: KubeObject, key: string): string | undefined {
  const encoded = ((secret.data ?? {}) as Record<string, string>)[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/**
 * The registered clusters, by the labels of their Secrets. Upstream rule: the cluster of the control plane is one of them if it has
 * a Secret, or if nothing is selected.
 */
export const clusterGenerator: Generator<ClusterGenerator> = {
  async generate(spec, { dialect, sources }, field) {
    const matches = compileSelector(spec.selector, `${field}.clusters.selector`);
    const byName = new Map<string, KubeObject>();
    for (const secret of sources.clusterSecrets())
      if (matches(secret.metadata.labels ?? {})) byName.set(secretValue(secret, 'name') ?? '', secret);
    const secrets = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, secret]) => secret);
    const clusters = secrets.map((secret) => paramsOf(secret, dialect.goTemplate));
    if (!selectsSome(spec.selector) && !secrets.some((secret) => secretValue(secret, 'server') === inClusterServer))
      clusters.push(
        newParams({ name: inClusterName, nameNormalized: inClusterName, server: inClusterServer, project: '' }),
      );
    const filled = clusters.map((params) => addValues(params, spec.values, dialect));
    const origin = { field: `${field}.clusters`, generator: 'clusters' };
    if (spec.flatList)
      return {
        elements: [{ params: newParams({ clusters: filled }), origin: { ...origin, element: 'all clusters' } }],
        gaps: [],
      };
    const elements = filled.map((params) => ({
      params,
      origin: { ...origin, element: `cluster ${String(params.name)}` },
    }));
    return { elements, gaps: [] };
  },
  requeueAfter: () => undefined,
};

function paramsOf(secret: KubeObject, goTemplate: boolean): Params {
  const name = secretValue(secret, 'name') ?? '';
  const { labels = {}, annotations = {} } = secret.metadata;
  const params = newParams({
    name,
    nameNormalized: normalizeName(name),
    server: secretValue(secret, 'server') ?? '',
    project: secretValue(secret, 'project') ?? '',
  });
  if (goTemplate) {
    params.metadata = {
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    };
    return params;
  }
  for (const [key, value] of Object.entries(annotations)) params[`metadata.annotations.${key}`] = value;
  for (const [key, value] of Object.entries(labels)) params[`metadata.labels.${key}`] = value;
  return params;
}
