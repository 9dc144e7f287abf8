import { parse } from 'yaml';
import type { Application, Diagnosis, Project } from '../api/model.ts';
import type { DiagnosisGroup } from './group-diagnoses.ts';
import { quarantineOf } from './quarantine.ts';

/** Entries that are added to lists of a spec, by the dotted path of the list below `spec`. */
export type Additions = Readonly<Record<string, readonly unknown[]>>;

/** What of a diagnosis's remedies the page can do itself. */
export type PageRemedy =
  | { readonly act: 'change-application'; readonly additions: Additions }
  | { readonly act: 'change-project'; readonly additions: Additions; readonly project: string }
  | { readonly act: 'confirm-deletion' }
  | { readonly act: 'release' }
  | { readonly act: 'sync-again' };

const listsOfApplications: ReadonlySet<string> = new Set(['ignoreDifferences', 'syncPolicy.syncOptions']);
const listsOfProjects: ReadonlySet<string> = new Set([
  'sourceRepos',
  'destinations',
  'clusterResourceWhitelist',
  'namespaceResourceWhitelist',
  'sourceNamespaces',
]);
const awaitsConfirmation: ReadonlySet<string> = new Set(['PruneConfirmationAwaited', 'DeletionConfirmationAwaited']);

/**
 * The first remedy that the page can do: additions to the spec of the application or of its project, which the diagnosis has as YAML, a
 * confirmation that is waited for, the way out of quarantine, another sync where they are given up. Undefined where somebody must decide or change a repository.
 */
export function remedyOf({ diagnosis, gaveUp }: DiagnosisGroup, application: Application): PageRemedy | undefined {
  if (awaitsConfirmation.has(diagnosis.code)) return { act: 'confirm-deletion' };
  if (diagnosis.code === 'RevisionQuarantined' && quarantineOf(application).length > 0) return { act: 'release' };
  for (const { paste = '' } of diagnosis.remedies ?? []) {
    const additions = additionsOf(paste);
    if (!additions) continue;
    const lists = Object.keys(additions);
    if (lists.every((list) => listsOfApplications.has(list))) {
      const left = missingOf(additions, application.spec);
      if (left) return { act: 'change-application', additions: left };
    }
    if (lists.every((list) => listsOfProjects.has(list)) && !isDenied(diagnosis))
      return { act: 'change-project', additions, project: application.spec.project ?? 'default' };
  }
  return gaveUp || diagnosis.code === 'AutoSyncGaveUp' ? { act: 'sync-again' } : undefined;
}

/** A rule that refuses wins over whatever is added. */
function isDenied({ evidence = [] }: Diagnosis): boolean {
  const rule = evidence.find(({ name }) => name === 'deciding rule')?.value ?? '';
  return /^!|"!|Blacklist/.test(rule);
}

function additionsOf(paste: string): Additions | undefined {
  if (!paste.startsWith('spec:')) return undefined;
  let given: unknown;
  try {
    given = parse(paste);
  } catch {
    // a fragment that is to be read by people
    return undefined;
  }
  const found: Record<string, readonly unknown[]> = {};
  const whole = collect((given as { spec?: unknown }).spec, '', found);
  return whole && Object.keys(found).length > 0 ? found : undefined;
}

/** Whether there is nothing but lists. */
function collect(value: unknown, path: string, found: Record<string, readonly unknown[]>): boolean {
  if (Array.isArray(value)) {
    found[path] = value;
    return path !== '';
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, inner]) => collect(inner, path ? `${path}.${name}` : name, found));
}

type Tree = Readonly<Record<string, unknown>>;

function listAt(spec: unknown, path: string): readonly unknown[] {
  let value = spec;
  for (const name of path.split('.')) value = (value as Tree | undefined)?.[name];
  return Array.isArray(value) ? value : [];
}

/** What of it a spec does not have; undefined if it has all of it. */
function missingOf(additions: Additions, spec: unknown): Additions | undefined {
  const left = Object.entries(additions).flatMap(([path, entries]) => {
    const known = new Set(listAt(spec, path).map((entry) => JSON.stringify(entry)));
    const missing = entries.filter((entry) => !known.has(JSON.stringify(entry)));
    return missing.length > 0 ? [[path, missing] as const] : [];
  });
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** The part of a spec that changes: each list with what is added at its end. */
export function withAdditions(spec: Application['spec'] | Project['spec'], additions: Additions): Tree {
  const changed: Record<string, unknown> = {};
  for (const [path, entries] of Object.entries(missingOf(additions, spec) ?? {})) {
    const names = path.split('.');
    let place = changed;
    for (const name of names.slice(0, -1)) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>;
    }
    place[names.at(-1) ?? path] = [...listAt(spec, path), ...entries];
  }
  return changed;
}
