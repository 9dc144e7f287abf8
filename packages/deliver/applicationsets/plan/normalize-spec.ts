import type { ApplicationSource, ApplicationSpec } from '@tiphys/api';
import { isRecord } from '../params/params.ts';

/**
 * A spec as the Application controller leaves it: without nulls, with a project, and without parts that say nothing. Comparing such
 * specs keeps the two controllers from writing in turns.
 */
export function normalizeSpec(spec: ApplicationSpec): ApplicationSpec {
  const { syncPolicy, ...rest } = withoutNulls(spec);
  const normal: ApplicationSpec = { ...rest, project: rest.project || 'default' };
  if (syncPolicy && Object.values(syncPolicy).some((value) => !isEmpty(value) || isRecord(value)))
    normal.syncPolicy = syncPolicy;
  if (normal.source) normal.source = normalizeSource(normal.source);
  if (normal.sources) normal.sources = normal.sources.map(normalizeSource);
  return normal;
}

const parts = ['helm', 'kustomize', 'directory', 'plugin'] as const;

function normalizeSource(source: ApplicationSource): ApplicationSource {
  const normal = { ...source };
  for (const part of parts)
    if (part !== 'plugin' && isRecord(normal[part]) && Object.values(normal[part]).every(isEmpty)) delete normal[part];
  return normal;
}

/** Nothing, false, 0, or a list or map without members. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(isEmpty);
}

function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item)) as T;
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(copy)) {
    if (member === null || member === undefined) delete copy[key];
    else if (typeof member === 'object') copy[key] = withoutNulls(member);
  }
  return copy as T;
}
