import type { KubeObject } from '@tiphys/kubernetes';
import { invalidAnalysis } from './model/diagnoses.ts';
import type { AnalysisRunArgument, Argument } from './model/types.ts';

/** What arguments of a Rollout's analysis may speak of. */
export interface RolloutValues {
  readonly rollout: KubeObject;
  readonly stableHash: string;
  readonly latestHash: string;
}

/**
 * The arguments of an AnalysisRun that a Rollout starts. A `fieldRef` under `metadata` is read as Kubernetes' downward API does
 * (`metadata.labels['app']`); any other is a path such as `status.pauseConditions[0].reason` that must end at a primitive value.
 */
export function rolloutArguments(args: readonly AnalysisRunArgument[], values: RolloutValues): Argument[] {
  return args.map(({ name, value = '', valueFrom }) => ({
    name,
    value: valueFrom ? referencedValue(valueFrom, values) : value,
  }));
}

function referencedValue(from: NonNullable<AnalysisRunArgument['valueFrom']>, values: RolloutValues): string {
  if (from.podTemplateHashValue) return from.podTemplateHashValue === 'Stable' ? values.stableHash : values.latestHash;
  const path = from.fieldRef?.fieldPath;
  if (path === undefined) return '';
  return path.startsWith('metadata') ? metadataValue(values.rollout, path) : fieldValue(values.rollout, path);
}

function metadataValue({ metadata }: KubeObject, path: string): string {
  const subscript = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/.exec(path);
  if (subscript) {
    const map = subscript[1] === 'metadata.labels' ? metadata.labels : metadata.annotations;
    return map?.[subscript[2] as string] ?? '';
  }
  switch (path) {
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    default:
      throw invalidAnalysis(`unsupported fieldPath: ${path}`);
  }
}

function formatMap(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}

function fieldValue(rollout: KubeObject, path: string): string {
  let at: unknown = rollout;
  for (const section of path.split(/[.[\]]+/)) {
    if (section === '') continue;
    if (Array.isArray(at)) {
      if (!/^[+-]?\d+$/.test(section)) throw invalidAnalysis(`invalid index '${section}'`);
      if (Number(section) >= at.length) throw invalidAnalysis(`index ${Number(section)} out of range`);
      at = at[Number(section)];
    } else if (typeof at === 'object' && at !== null)
      at = Object.hasOwn(at, section) ? (at as Record<string, unknown>)[section] : undefined;
    else throw invalidAnalysis(`invalid path ${path} in rollout`);
  }
  if (at === undefined || at === null) throw invalidAnalysis(`invalid path ${path} in rollout`);
  if (typeof at === 'object') throw invalidAnalysis(`path ${path} in rollout must terminate in a primitive value`);
  return typeof at === 'number' ? goNumber(at) : String(at);
}

/** A JSON number as Go's `%v` prints a float64. */
function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return String(value);
}
