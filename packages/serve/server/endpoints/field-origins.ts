import type { Application } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldOrigin, FieldValue, FilePlace, ValueGiver, WrittenField } from '@tiphys/source';
import type { Backend, RenderedManifests } from '../ports/backend.ts';

/** A line of a file with the commit that wrote it, an index of `commits`; without one where Git has no such file. */
interface WrittenPlace extends FilePlace {
  readonly commit?: number;
  /** Index of the source whose repository has the file. */
  readonly source?: number;
  /** The line as it is written there; absent for what may be secret. */
  readonly text?: string;
}

type GivenBy = WrittenPlace | Exclude<ValueGiver, FilePlace>;

interface ToldValue extends Omit<FieldValue, 'givenBy'> {
  readonly givenBy?: readonly GivenBy[];
}

/** Where one field comes from, as the API tells it. */
interface ToldField {
  /** A JSON pointer. */
  readonly pointer: string;
  /** Absent for what may be secret. */
  readonly value?: string;
  readonly place?: WrittenPlace;
  readonly includedAt?: readonly WrittenPlace[];
  readonly values?: readonly ToldValue[];
  readonly functions?: readonly string[];
  readonly generatedBy?: readonly string[];
  readonly conditions?: readonly {
    readonly condition: string;
    readonly place: WrittenPlace;
    readonly values: readonly ToldValue[];
  }[];
  /** What of a kustomization wrote it: `patches[0]`, or a field of the Application. */
  readonly entry?: string;
  /** What a prefix or a suffix added to the text that was there. */
  readonly added?: string;
}

interface Writer {
  readonly commit: string;
}

interface FieldsRequest {
  readonly app: Application;
  readonly rendered: RenderedManifests;
  readonly written: readonly WrittenField[];
  readonly object: KubeObject;
  /** Whether no text may be told. */
  readonly hidden: boolean;
  readonly signal: AbortSignal;
}

/** Files whose lines are looked at for one object. */
const mostFiles = 40;

/**
 * Where each field of an object comes from: of charts the line of the template, where that was included, and who gave the values that
 * are in it; of kustomizations the entry that wrote it. Each line of a file in Git with the commit that wrote it.
 */
export async function toldFields(
  backend: Pick<Backend, 'sourceFile'>,
  { app, rendered, written, object, hidden, signal }: FieldsRequest,
): Promise<{ fields: ToldField[]; commits: Writer[] }> {
  const { explained, revisions } = rendered;
  const own = explained?.source;
  const refs = new Map(manifestSourcesOf(app.spec).flatMap(({ ref }, index) => (ref ? [[ref, index] as const] : [])));
  const files = new Files((file, source) => backend.sourceFile(app, revisions, file, signal, source));
  const sourceOf = (place: FilePlace & { readonly ref?: string }) =>
    place.ref === undefined ? own : (refs.get(place.ref) ?? -1);
  const ask = (place: FilePlace & { readonly ref?: string }) => files.want(place, sourceOf(place));
  const fields = explained?.fields ?? [];
  for (const field of fields) for (const place of placesOf(field)) ask(place);
  for (const { file, line } of written) if (file !== undefined) ask({ file, line: line ?? 0 });
  const commits = await files.read();
  const told = (place: FilePlace & { readonly ref?: string }, withText = false): WrittenPlace =>
    files.told(place, sourceOf(place), withText && !hidden);
  const giver = (given: ValueGiver): GivenBy => ('file' in given ? told(given) : given);
  const value = ({ givenBy, ...rest }: FieldValue): ToldValue => ({
    ...rest,
    ...(givenBy ? { givenBy: givenBy.map(giver) } : {}),
  });
  return {
    commits,
    fields: [
      ...fields.map(
        (field): ToldField => ({
          pointer: pointerOf(field.path),
          ...(hidden ? {} : { value: field.value }),
          place: told(field.place, true),
          ...filled(
            'includedAt',
            field.includedAt.map((place) => told(place)),
          ),
          ...filled('values', field.values.map(value)),
          ...filled('functions', field.functions),
          ...filled('generatedBy', field.generatedBy),
          // their text is that of the template
          ...filled(
            'conditions',
            (hidden ? [] : field.conditions).map(({ condition, place, values }) => ({
              condition,
              place: told(place),
              values: values.map(value),
            })),
          ),
        }),
      ),
      ...written.map(({ path, entry, file, line, added }): ToldField => {
        const at = stepsOf(path);
        const text = textAt(object, at);
        return {
          pointer: pointerOf(at),
          ...(hidden || text === undefined ? {} : { value: text }),
          ...(file === undefined ? {} : { place: told({ file, line: line ?? 0 }, true) }),
          entry,
          ...(added === undefined || hidden ? {} : { added }),
        };
      }),
    ],
  };
}

type SourceFile = Awaited<ReturnType<Backend['sourceFile']>>;

/** The files that places name, read once each, with the writers of all lines between the first and the last that is named. */
class Files {
  readonly #read: (file: string, source: number | undefined) => Promise<SourceFile>;
  readonly #wanted = new Map<string, { file: string; source: number | undefined; from: number; to: number }>();
  readonly #found = new Map<string, { lines: readonly string[]; writers: ReadonlyMap<number, Writer> }>();
  readonly #commits = new Map<string, number>();

  constructor(read: (file: string, source: number | undefined) => Promise<SourceFile>) {
    this.#read = read;
  }

  want({ file, line }: FilePlace, source: number | undefined): void {
    if (line < 1 || source === -1) return;
    const key = `${source} ${file}`;
    const { from, to } = this.#wanted.get(key) ?? { from: line, to: line };
    if (this.#wanted.size >= mostFiles && !this.#wanted.has(key)) return;
    this.#wanted.set(key, { file, source, from: Math.min(from, line), to: Math.max(to, line) });
  }

  async read(): Promise<Writer[]> {
    const commits = new Map<string, Writer>();
    for (const [key, { file, source, from, to }] of this.#wanted) {
      const found = await this.#read(file, source);
      if (!found) continue;
      const lines = found.text.split('\n');
      const writers = from > lines.length ? new Map() : await found.writers(from, Math.min(to, lines.length));
      for (const writer of writers.values()) commits.set(writer.commit, writer);
      this.#found.set(key, { lines, writers });
    }
    for (const [index, commit] of [...commits.keys()].entries()) this.#commits.set(commit, index);
    return [...commits.values()];
  }

  told({ file, line }: FilePlace, source: number | undefined, withText: boolean): WrittenPlace {
    const found = this.#found.get(`${source} ${file}`);
    const writer = found?.writers.get(line);
    const text = found?.lines[line - 1];
    return {
      file,
      line,
      ...(found && source !== undefined ? { source } : {}),
      ...(writer ? { commit: this.#commits.get(writer.commit) as number } : {}),
      ...(withText && text !== undefined ? { text: text.slice(0, 500) } : {}),
    };
  }
}

function* placesOf({ place, includedAt, values, conditions }: FieldOrigin): Generator<FilePlace & { ref?: string }> {
  yield place;
  yield* includedAt;
  yield* values.flatMap(filesOf);
  for (const condition of conditions) {
    yield condition.place;
    yield* condition.values.flatMap(filesOf);
  }
}

const filesOf = ({ givenBy = [] }: FieldValue) => givenBy.flatMap((given) => ('file' in given ? [given] : []));

/** What has nothing in it is left out. */
function filled<Name extends string, T>(name: Name, list: readonly T[]): Partial<Record<Name, readonly T[]>> {
  return (list.length > 0 ? { [name]: list } : {}) as Partial<Record<Name, readonly T[]>>;
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** `spec.containers[0].image`, `metadata.annotations[example.com/a]` */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([whole, inside]) =>
    inside === undefined ? whole : /^\d+$/.test(inside) ? Number(inside) : inside,
  );
}

function textAt(object: unknown, path: readonly (string | number)[]): string | undefined {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}
