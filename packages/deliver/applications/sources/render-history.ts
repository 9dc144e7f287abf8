import { createHash } from 'node:crypto';
import type { Rendered } from '@tiphys/source';

/** One source as it was rendered, without its objects. */
export type SourceRender = Pick<Rendered, 'revision' | 'content' | 'sourceType' | 'found' | 'readSet' | 'digest'>;

/** Why the manifests of a source are what they are: whether they were found again, by what, and what has changed. */
export interface RenderAccount {
  /** Position in `spec.sources`, from 0. */
  readonly source: number;
  readonly revision: string;
  readonly sourceType: string;
  /** Where they were found; `rendered` is nowhere. */
  readonly found: Rendered['found'];
  /** Digest of all that was read: files, settings, facts. Equal ones give equal manifests. */
  readonly inputs: string;
  /** Digest of the objects. */
  readonly output: string;
  /** How many paths were read. */
  readonly paths: number;
  /** What was read and is not what it was for the render before: paths, `settings`, names of facts. At most 20. */
  readonly changed: readonly string[];
  /** One sentence for people. */
  readonly why: string;
  /** When it was so for the first and for the last time, RFC 3339, and how often in a row. */
  readonly since: string;
  readonly until: string;
  readonly times: number;
}

const kept = 10;
const shownChanges = 20;

const places: Readonly<Record<Exclude<Rendered['found'], 'rendered'>, string>> = {
  memory: 'in memory',
  disk: 'on disk',
  shared: 'in the shared cache',
};

/** The last renders of one application. All of it may be lost at any time. */
export class RenderHistory {
  #accounts: RenderAccount[] = [];
  #last: readonly SourceRender[] = [];

  /** Newest first. */
  get accounts(): readonly RenderAccount[] {
    return this.#accounts;
  }

  /** `now` is in milliseconds; `hard` says that nothing known was to be used. */
  note(renders: readonly SourceRender[], { now, hard }: { now: number; hard: boolean }): void {
    const time = new Date(now).toISOString();
    for (const [source, render] of renders.entries()) {
      const fresh = accountOf(source, render, this.#last[source], { time, hard });
      const before = this.#accounts.find((account) => account.source === source);
      const same = before && !hard && isSame(before, fresh);
      this.#accounts = [
        same ? { ...fresh, since: before.since, times: before.times + 1 } : fresh,
        ...this.#accounts.filter((account) => account !== (same ? before : undefined)),
      ].slice(0, kept * Math.max(renders.length, 1));
    }
    this.#last = renders;
  }
}

function accountOf(
  source: number,
  render: SourceRender,
  before: SourceRender | undefined,
  { time, hard }: { time: string; hard: boolean },
): RenderAccount {
  const { revision, sourceType, found, readSet, digest } = render;
  const changed = before ? changesBetween(before.readSet, readSet) : [];
  return {
    source,
    revision,
    sourceType,
    found,
    inputs: createHash('sha256').update(JSON.stringify(readSet)).digest('hex'),
    output: digest,
    paths: readSet.paths.length,
    changed: changed.slice(0, shownChanges),
    why: whyOf(render, before, { changed, hard }),
    since: time,
    until: time,
    times: 1,
  };
}

function whyOf(
  { found, revision, readSet, sourceType }: SourceRender,
  before: SourceRender | undefined,
  { changed, hard }: { changed: readonly string[]; hard: boolean },
): string {
  if (sourceType === '') return 'The source gives nothing itself: others refer to it';
  const moved = before && before.revision !== revision;
  if (found !== 'rendered') {
    const read = `${readSet.paths.length} ${readSet.paths.length === 1 ? 'path' : 'paths'} and the settings`;
    if (changed.length > 0) return `Found ${places[found]}: what is read now was rendered before`;
    if (moved) return `Found ${places[found]}: the revision moved, and touches nothing of the ${read} that are read`;
    return `Found ${places[found]}: the ${read} that are read are what they were`;
  }
  if (hard) return 'Rendered anew: a hard refresh was asked for';
  if (changed.length === 0) return 'Rendered anew: nothing was kept for what is read';
  const [first, ...others] = changed;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `Rendered anew: ${first}${more} changed`;
}

/** Sorted; a path that was read once and is no more, or the other way round, has changed too. */
function changesBetween(before: Rendered['readSet'], after: Rendered['readSet']): string[] {
  const paths = differing(
    new Map(before.paths.map(({ path, oid }) => [path, oid])),
    new Map(after.paths.map(({ path, oid }) => [path, oid])),
  );
  const facts = differing(new Map(Object.entries(before.facts)), new Map(Object.entries(after.facts)));
  return [...paths, ...(before.settings === after.settings ? [] : ['settings']), ...facts];
}

function differing(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.has(name) !== after.has(name) || before.get(name) !== after.get(name))
    .sort();
}

function isSame(a: RenderAccount, b: RenderAccount): boolean {
  return (
    a.found === b.found &&
    a.revision === b.revision &&
    a.inputs === b.inputs &&
    b.changed.length === 0 &&
    a.why === b.why
  );
}
