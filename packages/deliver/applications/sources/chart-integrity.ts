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

interface Entry {
  readonly patterns: readonly string[];
  readonly policy: ChartPolicy;
}

/** Of the projects as they were read from the cluster: a change makes a new object. */
const entriesOf = new WeakMap<AppProject, readonly Entry[]>();

/** All that a project wants of a repository of charts or artifacts: each policy counts. Throws ChartIntegrityInvalid. */
export function chartPolicies(project: AppProject | undefined, repoURL: string): readonly ChartPolicy[] {
  const text = project?.metadata.annotations?.[chartIntegrityAnnotation];
  if (!project || !text) return [];
  const entries = entriesOf.get(project) ?? readEntries(text, (why) => invalid(project.metadata.name ?? '', why));
  entriesOf.set(project, entries);
  return entries.filter(({ patterns }) => includesRepository(patterns, repoURL)).map(({ policy }) => policy);
}

type Refuse = (why: string) => DiagnosisError;

function readEntries(text: string, refuse: Refuse): readonly Entry[] {
  let entries: unknown;
  try {
    entries = parseYaml(text);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (!Array.isArray(entries)) throw refuse('it is no list');
  return entries.map((entry: unknown, index) => readEntry(entry, (why) => refuse(`[${index}]${why}`)));
}

function readEntry(entry: unknown, fail: Refuse): Entry {
  const { repos, provenance, cosign, ...others } = objectOf(entry);
  if ('notation' in others)
    throw fail('.notation: signatures of notation are not read; sign with cosign sign --key as well, and name the key');
  refuseOthers(others, '', 'repos, provenance and cosign', fail);
  const patterns = Array.isArray(repos) ? repos.map((repo) => objectOf(repo).url) : [];
  if (patterns.length === 0 || !patterns.every((url) => typeof url === 'string'))
    throw fail('.repos is no list of {url: PATTERN}');
  if (provenance === undefined && cosign === undefined) throw fail(' asks for neither provenance nor cosign');
  return {
    patterns: patterns as string[],
    policy: {
      ...(provenance === undefined ? {} : { provenance: readProvenance(objectOf(provenance), fail) }),
      ...(cosign === undefined ? {} : { cosign: readCosign(objectOf(cosign), fail) }),
    },
  };
}

function readProvenance({ keys, ...others }: Record<string, unknown>, fail: Refuse): string[] {
  refuseOthers(others, '.provenance', 'keys', fail);
  return textsOf(keys, '.provenance.keys', fail);
}

function readCosign({ publicKeys, ...others }: Record<string, unknown>, fail: Refuse): string[] {
  const keyless = [
    'identities',
    'keyless',
    'issuer',
    'certificateIdentity',
    'certificateOidcIssuer',
    'rekor',
    'fulcio',
  ];
  const [asked] = Object.keys(others).filter((field) => keyless.includes(field));
  if (asked !== undefined)
    throw fail(`.cosign.${asked}: keyless signatures are not read; sign with cosign sign --key, and name publicKeys`);
  refuseOthers(others, '.cosign', 'publicKeys', fail);
  return textsOf(publicKeys, '.cosign.publicKeys', fail);
}

function refuseOthers(others: object, at: string, known: string, fail: Refuse): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw fail(`${at}.${unknown} is no field; there is ${known}`);
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

function textsOf(value: unknown, field: string, fail: Refuse): string[] {
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
