import type { ApplicationSource, AppProject } from '@tiphys/api';
import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { ChartProof } from '@tiphys/source';
import { parseYaml } from '@tiphys/yaml';
import { includesRepository } from './repository-patterns.ts';

const chartIntegrityInvalid = defineDiagnosis(
  'ChartIntegrityInvalid',
  'The annotation tiphys.dev/chart-integrity of a project, which says who has to sign charts, cannot be read; no chart is trusted then',
);

export const chartIntegrityAnnotation = 'tiphys.dev/chart-integrity';

/** How the charts and artifacts of a repository have to be signed. */
export interface ChartPolicy {
  /** Ids of OpenPGP keys of argocd-gpg-keys-cm, for Helm's provenance. */
  readonly provenance?: readonly string[];
  /** Public keys (PEM) of cosign. */
  readonly cosign?: readonly string[];
}

/** All that a project wants of a repository of charts or artifacts: each policy counts. Throws ChartIntegrityInvalid. */
export function chartPolicies(project: AppProject | undefined, repoURL: string): readonly ChartPolicy[] {
  const text = project?.metadata.annotations?.[chartIntegrityAnnotation];
  if (!text) return [];
  const refuse = (why: string) => invalid(project?.metadata.name ?? '', why);
  let entries: unknown;
  try {
    entries = parseYaml(text);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (!Array.isArray(entries)) throw refuse('it is no list');
  return entries.flatMap((entry: unknown, index) => {
    const { repos, provenance, cosign, ...others } = objectOf(entry);
    const fail = (why: string) => refuse(`[${index}]${why}`);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw fail(`.${unknown} is no field; there are repos, provenance and cosign`);
    const patterns = Array.isArray(repos) ? repos.map((repo) => objectOf(repo).url) : [];
    if (patterns.length === 0 || !patterns.every((url) => typeof url === 'string'))
      throw fail('.repos is no list of {url: PATTERN}');
    if (provenance === undefined && cosign === undefined) throw fail(' asks for neither provenance nor cosign');
    const policy = {
      ...(provenance === undefined ? {} : { provenance: textsOf(objectOf(provenance).keys, '.provenance.keys', fail) }),
      ...(cosign === undefined ? {} : { cosign: textsOf(objectOf(cosign).publicKeys, '.cosign.publicKeys', fail) }),
    };
    return includesRepository(patterns as string[], repoURL) ? [policy] : [];
  });
}

/** Whether a source is a chart or an artifact that is published somewhere else than in Git. */
export function isPublished({ repoURL, chart }: ApplicationSource): boolean {
  return Boolean(chart) || repoURL.startsWith('oci://');
}

/** A policy with the keys that it names. */
export function proofOf({ provenance, cosign }: ChartPolicy, armored: readonly string[]): ChartProof {
  return {
    ...(provenance ? { provenance: { armored, ids: provenance } } : {}),
    ...(cosign ? { cosign: { publicKeys: cosign } } : {}),
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textsOf(value: unknown, field: string, fail: (why: string) => DiagnosisError): string[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((each) => typeof each === 'string'))
    throw fail(`${field} is no list of texts, or an empty one`);
  return value;
}

function invalid(project: string, why: string): DiagnosisError {
  return failure(chartIntegrityInvalid, {
    message: `${chartIntegrityAnnotation} of AppProject ${project}: ${why}`,
    place: { object: `AppProject ${project}`, field: `metadata.annotations["${chartIntegrityAnnotation}"]` },
    remedies: [
      {
        text: 'Write it as a list of policies',
        paste: '- repos: [{url: "https://charts.example.com*"}]\n  provenance: {keys: [0123456789ABCDEF]}',
      },
    ],
  });
}
