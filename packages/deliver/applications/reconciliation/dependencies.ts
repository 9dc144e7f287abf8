import { type Application, names } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { applicationKey } from '../spec/application-key.ts';

const dependencyAwaited = defineDiagnosis(
  'DependencyAwaited',
  'Automated sync waits until the applications that this one depends on are synced and healthy',
);
const dependencyInvalid = defineDiagnosis(
  'DependencyInvalid',
  'An application depends on one that is not there, or on itself',
);
const dependentsFirst = defineDiagnosis(
  'DependentsFirst',
  'The deletion waits for applications that depend on this one and are being deleted too',
);

type Find = (key: string) => Application | undefined;

/** Keys of the applications that the annotation `tiphys.dev/depends-on` names, in its order: `name` or `namespace/name`. */
export function dependenciesOf({ metadata }: Application): string[] {
  const names_ = (metadata.annotations?.[names.annotations.dependsOn] ?? '').split(',').map((name) => name.trim());
  const keys = names_
    .filter(Boolean)
    .map((name) => (name.includes('/') ? name : `${metadata.namespace ?? ''}/${name}`));
  return [...new Set(keys)];
}

/** Why an application is not to be synced by itself now; `notice` where it is only a matter of time. */
export function dependencyBlock(
  application: Application,
  find: Find,
): { readonly diagnosis: Diagnosis; readonly notice: boolean } | undefined {
  const dependencies = dependenciesOf(application);
  if (dependencies.length === 0) return undefined;
  const cycle = cycleOf(application, find);
  if (cycle) return { diagnosis: invalid(`depends on itself: ${cycle.join(' → ')}`), notice: false };
  const missing = dependencies.filter((key) => !find(key));
  if (missing.length > 0)
    return { diagnosis: invalid(`depends on ${missing.join(', ')}, which is not there`), notice: false };
  const waiting = dependencies.map(find).filter((each): each is Application => each !== undefined && !isReady(each));
  if (waiting.length === 0) return undefined;
  return {
    notice: true,
    diagnosis: diagnose(dependencyAwaited, {
      message: `Automated sync waits for ${waiting.map((each) => `${applicationKey(each)} (${stateOf(each)})`).join(', ')}`,
      place: { field: `metadata.annotations['${names.annotations.dependsOn}']` },
      remedies: ['It goes on by itself when they are synced and healthy; a sync by hand does not wait'],
    }),
  };
}

/** Why a deletion does not begin yet: reverse order. A circle of applications has none, and is deleted as it comes. */
export function deletionBlock(
  application: Application,
  dependents: Iterable<Application>,
  find: Find,
): Diagnosis | undefined {
  if (cycleOf(application, find)) return undefined;
  const first = [...dependents]
    .filter(({ metadata }) => metadata.deletionTimestamp)
    .map(applicationKey)
    .sort();
  if (first.length === 0) return undefined;
  return diagnose(dependentsFirst, {
    message: `The deletion waits for ${first.join(', ')}, which depend${first.length === 1 ? 's' : ''} on this application`,
    remedies: [`Or remove the annotation ${names.annotations.dependsOn} from them`],
  });
}

/** Synced and healthy, and nothing is going on that could change that. */
function isReady({ status, operation, metadata }: Application): boolean {
  const running = operation !== undefined || ['Running', 'Terminating'].includes(status?.operationState?.phase ?? '');
  const good = status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
  return good && !running && !metadata.deletionTimestamp;
}

function stateOf({ status }: Application): string {
  return `${status?.sync?.status ?? 'Unknown'}, ${status?.health?.status ?? 'Unknown'}`;
}

/** The way from an application back to itself; undefined if there is none. */
function cycleOf(application: Application, find: Find): string[] | undefined {
  const start = applicationKey(application);
  const seen = new Set<string>();
  const ways: string[][] = [[start]];
  for (let way = ways.pop(); way; way = ways.pop()) {
    const at = find(way.at(-1) as string);
    for (const next of at ? dependenciesOf(at) : []) {
      if (next === start) return [...way, start];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}

function invalid(problem: string): Diagnosis {
  return diagnose(dependencyInvalid, {
    message: `The application ${problem}`,
    place: { field: `metadata.annotations['${names.annotations.dependsOn}']` },
    remedies: [
      {
        text: 'Name applications that are there, without a circle',
        paste: `${names.annotations.dependsOn}: database, other-namespace/cache`,
      },
    ],
  });
}

/** Who depends on whom, so that a change wakes those alone that wait for it. */
export class Dependents {
  readonly #of = new Map<string, Set<string>>();
  readonly #named = new Map<string, readonly string[]>();

  /** Notes what an application depends on now; `undefined` for one that is gone. */
  note(key: string, application: Application | undefined): void {
    const now = application ? dependenciesOf(application) : [];
    for (const before of this.#named.get(key) ?? []) {
      const others = this.#of.get(before);
      others?.delete(key);
      if (others?.size === 0) this.#of.delete(before);
    }
    if (now.length === 0) this.#named.delete(key);
    else this.#named.set(key, now);
    for (const name of now) this.#of.set(name, (this.#of.get(name) ?? new Set()).add(key));
  }

  of(key: string): readonly string[] {
    return [...(this.#of.get(key) ?? [])];
  }
}
