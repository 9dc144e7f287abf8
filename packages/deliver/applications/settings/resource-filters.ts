import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { ResourceFilter } from '@tiphys/engine';
import { parseDocuments } from '@tiphys/yaml';

const settingInvalid = defineDiagnosis('SettingInvalid', 'A key of argocd-cm holds something that cannot be used');

/** What `resource.exclusions` and `resource.inclusions` of argocd-cm say; undefined where a key is not set. */
export interface ResourceFilters {
  readonly exclusions: readonly ResourceFilter[] | undefined;
  readonly inclusions: readonly ResourceFilter[] | undefined;
  /** A key that cannot be read: the last good value goes on, or the default if there never was one. */
  readonly problems: readonly Diagnosis[];
}

export function resourceFilters(data: Readonly<Record<string, string>>, last?: ResourceFilters): ResourceFilters {
  const problems: Diagnosis[] = [];
  const read = (key: string, before: readonly ResourceFilter[] | undefined): readonly ResourceFilter[] | undefined => {
    const found = filtersOf(key, data[key] ?? '');
    if (!('problem' in found)) return found.value;
    problems.push(found.problem);
    return before;
  };
  return {
    exclusions: read('resource.exclusions', last?.exclusions),
    inclusions: read('resource.inclusions', last?.inclusions),
    problems,
  };
}

function filtersOf(
  key: string,
  text: string,
): { readonly value: readonly ResourceFilter[] | undefined } | { readonly problem: Diagnosis } {
  if (!text.trim()) return { value: undefined };
  let value: unknown;
  try {
    value = parseDocuments(text, { file: key }).documents[0]?.value;
  } catch (error) {
    return { problem: unusable(key, formatDiagnosis(diagnosisOf(error))) };
  }
  if (value === undefined || value === null) return { value: undefined };
  return Array.isArray(value) ? { value } : { problem: unusable(key, 'found no list') };
}

function unusable(key: string, reason: string): Diagnosis {
  return diagnose(settingInvalid, {
    message: `${key} of ConfigMap argocd-cm cannot be used, so its last good value goes on: ${reason}`,
    place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
    remedies: [
      {
        text: 'Write a list of filters',
        paste: '- apiGroups: ["cilium.io"]\n  kinds: ["CiliumIdentity"]\n  clusters: ["*"]',
      },
    ],
  });
}
