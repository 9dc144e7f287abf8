import { type ApplicationSource, type ApplicationSpec, names } from '@tiphys/api';

type Fields = Record<string, unknown>;

/** Whether nothing below is set: empty text, false, 0, empty lists and objects count as unset, as for Go's zero values. */
function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value as Fields).every(isZero);
}

/** The spec as Argo CD stores it: the project named, and parts that say nothing left out. */
export function normalizeSpec(spec: ApplicationSpec): ApplicationSpec {
  const normalized: ApplicationSpec = { ...spec, project: spec.project || names.defaults.project };
  const policy = normalized.syncPolicy;
  if (policy && !policy.automated && !policy.syncOptions?.length && !policy.retry && !policy.managedNamespaceMetadata)
    delete normalized.syncPolicy;
  if (normalized.sources?.length) normalized.sources = normalized.sources.map(normalizeSource);
  else if (normalized.source) normalized.source = normalizeSource(normalized.source);
  return normalized;
}

function normalizeSource(source: ApplicationSource): ApplicationSource {
  const normalized = { ...source };
  for (const key of ['kustomize', 'helm', 'directory'] as const)
    if (normalized[key] !== undefined && isZero(normalized[key])) delete normalized[key];
  return normalized;
}
