import { createHash } from 'node:crypto';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { gvkOf, type KubeObject } from '@tiphys/kubernetes';
import { placeOf } from '../../difference/desired-state.ts';
import type { ServerWarning, SyncTask } from '../model.ts';
import { schemaProblems } from './schema-check.ts';
import { versionChangeProblems } from './version-change.ts';

const deprecatedVersion = defineDiagnosis(
  'ManifestVersionDeprecated',
  'The API server warns that the version of a manifest is deprecated',
  'C14',
);
const unknownField = defineDiagnosis(
  'ManifestFieldDropped',
  'The API server does not know a field of a manifest, and has left it out',
  'M12',
);
const serverWarned = defineDiagnosis('ServerWarned', 'The API server warns of a manifest, and has taken it');

/** Identifies the text of a manifest. */
export function manifestDigest(object: KubeObject): string {
  return createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 16);
}

/** What the `Warning` headers say that answered the write of a manifest; `served` are the versions of its kind. */
export function serverWarnings(task: SyncTask, texts: readonly string[], served: readonly string[]): ServerWarning[] {
  const { desired } = task;
  if (!desired) return [];
  const manifest = manifestDigest(desired);
  return [...new Set(texts)].map((text) => ({ ...explain(task, desired, text, served), manifest }));
}

function explain(task: SyncTask, desired: KubeObject, text: string, served: readonly string[]): Diagnosis {
  const [, dropped] = /^unknown field "([^"]{1,500})"/.exec(text) ?? [];
  if (dropped !== undefined) return ofField(task, desired, text, dropped);
  if (/\bis deprecated\b/.test(text) && text.startsWith(`${desired.apiVersion} ${desired.kind} `))
    return ofVersion(task, desired, text, served);
  return diagnose(serverWarned, {
    message: `${task.key.kind} ${task.key.name}: ${text}`,
    place: placeOf(task),
    remedies: ['Change the manifest as the warning says, or leave it: the object is applied'],
  });
}

function ofVersion(task: SyncTask, desired: KubeObject, text: string, served: readonly string[]) {
  const { apiVersion, kind } = desired;
  const [, named, namedKind] = /; use ([a-z0-9./-]{1,300}) ([A-Za-z]{1,100})/.exec(text) ?? [];
  const other = served.find((version) => version !== task.version);
  const { group } = task.key;
  const replacement = named ?? (other && `${group ? `${group}/` : ''}${other}`);
  const change = replacement ? versionChange(task, desired, { apiVersion: replacement, kind: namedKind ?? kind }) : [];
  return diagnose(deprecatedVersion, {
    message: `The API server warns: ${text}`,
    place: { ...placeOf(task), field: 'apiVersion' },
    evidence: { found: `apiVersion: ${apiVersion} (${kind})`, replacement: replacement ?? undefined },
    remedies: [
      ...(replacement ? change : ['Look into the notes of the release which version replaces it']),
      'See who else uses versions that end: tiphys upgrade check --to VERSION (docs/upgrades.md)',
    ],
  });
}

/** The change that moves a manifest to another version: the patch where it is one line, else what people have to see to besides. */
function versionChange(task: SyncTask, desired: KubeObject, to: Pick<KubeObject, 'apiVersion' | 'kind'>) {
  const { file, line } = placeOf(task);
  const problems = versionChangeProblems(desired, gvkOf(desired), gvkOf(to)) ?? [];
  if (problems.length > 0)
    return [`Write apiVersion: ${to.apiVersion}, kind: ${to.kind}, and change by hand: ${problems.join('; ')}`];
  const where = file ? [`--- ${file}${line ? `:${line}` : ''}`] : [];
  const paste = [...where, `-apiVersion: ${desired.apiVersion}`, `+apiVersion: ${to.apiVersion}`].join('\n');
  return [{ text: `Write apiVersion: ${to.apiVersion}`, paste }];
}

function ofField(task: SyncTask, desired: KubeObject, text: string, field: string) {
  const name = field.slice(field.lastIndexOf('.') + 1);
  const nearest = schemaProblems(desired, 0).find((problem) => problem.field === field)?.nearest;
  return diagnose(unknownField, {
    message: `${task.key.kind} ${task.key.name} has the ${text}, which the API server has left out`,
    place: { ...placeOf(task), field },
    remedies: [nearest ? `Write ${nearest} in place of ${name}` : `Correct or remove ${field}`],
  });
}
