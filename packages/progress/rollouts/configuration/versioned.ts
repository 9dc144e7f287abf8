import type { PodTemplate, Rollout } from '@tiphys/api';
import { defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import { type Client, isAlreadyExists, isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { isControlledBy, ownedBy } from '../objects/kinds.ts';
import { type Configuration, type Configurations, copyOfAnnotation, reduced } from './configurations.ts';
import { type ConfigurationReference, configurationOf, renamed } from './references.ts';

/** Of a Rollout: `true` keeps the ConfigMaps and Secrets of its template with each revision. */
export const versionedAnnotation = 'tiphys.dev/versioned-configuration';

const notCopied = defineDiagnosis(
  'RolloutConfigurationNotCopied',
  'A ConfigMap or Secret of a Rollout could not be kept with its revision',
);

/** A name of Kubernetes has at most 253 characters; the digest and its dash have 11. */
const longestName = 253 - 11;

export function isVersioned({ metadata }: Rollout): boolean {
  return metadata.annotations?.[versionedAnnotation] === 'true';
}

/** A template with its objects by the names of their copies, and the copies that it needs. */
export interface VersionedTemplate {
  readonly template: PodTemplate;
  readonly sources: readonly { readonly source: Configuration; readonly copy: string }[];
}

/**
 * The template of a Rollout that keeps its configuration: it names copies by what is in them, so that a change of a ConfigMap is
 * another revision, and what was before has the ReplicaSet that it had. What is not there keeps the copy that `current` has.
 */
export async function versionedTemplate(
  configurations: Configurations,
  rollout: Rollout,
  current: PodTemplate | undefined,
): Promise<VersionedTemplate> {
  const { template = {} } = rollout.spec;
  const namespace = rollout.metadata.namespace ?? '';
  const names = new Map<string, string>();
  const sources: { source: Configuration; copy: string }[] = [];
  for (const reference of configurationOf(template)) {
    const source = await configurations.find(namespace, reference);
    if (source && !isCopyable(source)) continue;
    const copy = source ? copyName(source) : lastCopy(configurations.copies(namespace), reference, current);
    if (copy === undefined) continue;
    names.set(keyOf(reference), copy);
    if (source) sources.push({ source, copy });
  }
  return { template: renamed(template, (reference) => names.get(keyOf(reference))), sources };
}

/** What is a copy already is named by a template that was taken back; tokens belong to their ServiceAccount. */
function isCopyable({ metadata, type }: Configuration): boolean {
  return metadata.annotations?.[copyOfAnnotation] === undefined && type !== 'kubernetes.io/service-account-token';
}

function copyName({ metadata, digest }: Configuration): string {
  return `${(metadata.name ?? '').slice(0, longestName)}-${digest}`;
}

function lastCopy(
  copies: readonly Configuration[],
  { kind, name }: ConfigurationReference,
  current: PodTemplate | undefined,
): string | undefined {
  const used = new Set((current ? configurationOf(current) : []).map(keyOf));
  return copies.find(
    (copy) =>
      copy.kind === kind &&
      copy.metadata.annotations?.[copyOfAnnotation] === name &&
      used.has(keyOf({ kind, name: copy.metadata.name ?? '' })),
  )?.metadata.name;
}

function keyOf({ kind, name }: { kind: string; name: string }): string {
  return `${kind}/${name}`;
}

/** What copies are made and deleted with. */
interface Keeping {
  readonly client: Client;
  readonly configurations: Configurations;
  readonly rollout: Rollout;
}

/** Makes the copies that are not there yet, from the objects as they are now. False if one has changed since it was looked at. */
export async function keepCopies(
  { client, configurations, rollout }: Keeping,
  versioned: VersionedTemplate,
): Promise<boolean> {
  const copies = configurations.copies(rollout.metadata.namespace ?? '');
  const known = new Set(copies.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  for (const { source, copy } of versioned.sources) {
    if (known.has(`${source.kind}/${copy}`)) continue;
    const { namespace = '', name = '' } = source.metadata;
    const original = await client.find({ apiVersion: 'v1', kind: source.kind, namespace, name });
    if (!original || reduced(original).digest !== source.digest) return false;
    try {
      await client.create(copyFor(rollout, original, copy));
    } catch (error) {
      if (!isAlreadyExists(error)) throw explained(rollout, original, error);
    }
  }
  return true;
}

function copyFor(rollout: Rollout, original: KubeObject, name: string): KubeObject {
  const { apiVersion, kind, metadata, data, binaryData, type } = original;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { 'app.kubernetes.io/managed-by': 'tiphys' },
      annotations: { [copyOfAnnotation]: metadata.name ?? '' },
      ownerReferences: ownedBy(rollout),
    },
    immutable: true,
    ...(data ? { data } : {}),
    ...(binaryData ? { binaryData } : {}),
    ...(type ? { type } : {}),
  };
}

function explained({ metadata }: Rollout, { kind, metadata: of }: KubeObject, error: unknown): unknown {
  if (!isForbidden(error)) return error;
  return failure(notCopied, {
    message: `The controller may not create ${kind}s, so ${of.name} is not kept with the revision: ${diagnosisOf(error).message}`,
    place: {
      object: `Rollout ${metadata.namespace}/${metadata.name}`,
      field: `metadata.annotations.${versionedAnnotation}`,
    },
    remedies: [
      `Allow the controller's role to create and delete ${kind.toLowerCase()}s`,
      `Take the annotation ${versionedAnnotation} off`,
    ],
  });
}

/** Deletes the copies of a Rollout that none of its revisions names any more. */
export async function forgetCopies(
  { client, configurations, rollout }: Keeping,
  templates: readonly (PodTemplate | undefined)[],
): Promise<void> {
  const copies = configurations.copies(rollout.metadata.namespace ?? '');
  const own = copies.filter((copy) => isControlledBy(copy, rollout));
  if (own.length === 0) return;
  const used = new Set(templates.flatMap((template) => (template ? configurationOf(template).map(keyOf) : [])));
  for (const { apiVersion, kind, metadata } of own) {
    const { namespace = '', name = '', deletionTimestamp } = metadata;
    if (deletionTimestamp || used.has(keyOf({ kind, name }))) continue;
    try {
      await client.delete({ apiVersion, kind, namespace, name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
