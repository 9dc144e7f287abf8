import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const releaseUnreadable = defineDiagnosis(
  'KubernetesReleaseUnreadable',
  'A release of Kubernetes is not written as 1.35',
);

/** Major and minor number of a release of Kubernetes. */
export type Release = readonly [number, number];

/** The newest release whose types `generate.ts` has read. What later ones remove is not known. */
export const newestKnown: Release = [1, 37];

export interface KindOfVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Life of one version of a built-in kind, as Kubernetes' own types tell it. */
export interface ApiLife extends KindOfVersion {
  readonly introduced?: Release;
  /** Since this release the API server warns of it. */
  readonly deprecated?: Release;
  /** Since this release it is served no more. */
  readonly removed?: Release;
  readonly replacement?: KindOfVersion;
  /** The CustomResourceDefinition that gives the version up; absent for what is built in. */
  readonly definition?: { readonly name: string; readonly served: boolean; readonly warning: string };
}

/** Lives of versions that the definitions of a cluster give up, by `group/version/Kind`. */
export type CustomLives = ReadonlyMap<string, ApiLife>;

const noneCustom: CustomLives = new Map();

/** What becomes of an API in a release. */
export interface Verdict {
  readonly life: ApiLife;
  readonly state: 'removed' | 'deprecated';
}

let byKind: ReadonlyMap<string, ApiLife> | undefined;

/** Lives of all versions of built-in kinds that Kubernetes has an end for, by `group/version/Kind`. */
export function apiLives(): ReadonlyMap<string, ApiLife> {
  byKind ??= new Map(
    (JSON.parse(readFileSync(join(import.meta.dirname, 'lives.json'), 'utf8')) as ApiLife[]).map((life) => [
      keyOf(life),
      life,
    ]),
  );
  return byKind;
}

export const keyOf = ({ group, version, kind }: KindOfVersion) => `${group}/${version}/${kind}`;

/** Whether a kind in a version is removed or deprecated in a release, or by its definition; undefined if it lives on or is not known. */
export function verdictOf(kind: KindOfVersion, target: Release, custom: CustomLives = noneCustom): Verdict | undefined {
  const life = apiLives().get(keyOf(kind)) ?? custom.get(keyOf(kind));
  if (life?.definition) return { life, state: life.definition.served ? 'deprecated' : 'removed' };
  if (life?.removed && reached(life.removed, target)) return { life, state: 'removed' };
  return life?.deprecated && reached(life.deprecated, target) ? { life, state: 'deprecated' } : undefined;
}

/**
 * The verdict on what was recorded of a call: by what is known of the API now, else by what the API server said of it when it was called. Undefined for
 * what the release has no end for.
 */
export function verdictOfRecorded(recorded: ApiLife, target: Release): Verdict | undefined {
  if (apiLives().has(keyOf(recorded))) return verdictOf(recorded, target);
  const { removed } = recorded;
  return { life: recorded, state: removed && reached(removed, target) ? 'removed' : 'deprecated' };
}

/** Whether a release is the other one or comes after it. */
export function reached([major, minor]: Release, [targetMajor, targetMinor]: Release): boolean {
  return targetMajor > major || (targetMajor === major && targetMinor >= minor);
}

/** Reads `1.35`, `v1.35` or `v1.35.2`; throws a diagnosis for anything else. */
export function parseRelease(text: string): Release {
  const [, major, minor] = /^v?(\d{1,3})\.(\d{1,4})(?:[.+-].*)?$/.exec(text) ?? [];
  if (major === undefined || minor === undefined)
    throw failure(releaseUnreadable, {
      message: `${JSON.stringify(text)} is no release of Kubernetes`,
      place: { field: '--to' },
      remedies: ['Write major and minor number, such as 1.35'],
    });
  return [Number(major), Number(minor)];
}

export function printRelease([major, minor]: Release): string {
  return `${major}.${minor}`;
}

export function apiVersionOf({ group, version }: Pick<KindOfVersion, 'group' | 'version'>): string {
  return group ? `${group}/${version}` : version;
}

/** Parts of `group/version`. */
export function groupVersionOf(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** What the API server says of a deprecated API in its Warning header, as of that release. */
export function warningOf({ group, version, kind, deprecated, removed, replacement }: ApiLife): string {
  const since = deprecated ? ` in v${printRelease(deprecated)}+` : '';
  const until = removed ? `, unavailable in v${printRelease(removed)}+` : '';
  const instead = replacement ? `; use ${apiVersionOf(replacement)} ${replacement.kind}` : '';
  return `${apiVersionOf({ group, version })} ${kind} is deprecated${since}${until}${instead}`;
}
