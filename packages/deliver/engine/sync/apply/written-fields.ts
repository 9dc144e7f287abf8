import type { Diagnosis, Place } from '@tiphys/diagnosis';
import type { Origin } from '@tiphys/source';
import { textAt } from '../../model/fields.ts';
import type { SyncTask } from '../model.ts';

type Written = NonNullable<Origin['written']>[number];

/** What every name of an object may consist of. */
const plainName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * Puts a refusal of a field where the field was written: in the entry of a kustomization that put it into the object, and not
 * in the file that the object is from. The file is blamed if it is at fault by itself.
 */
export function withWriter(diagnosis: Diagnosis, task: SyncTask): Diagnosis {
  const field = diagnosis.place?.field;
  const { origin, desired } = task;
  // what cannot be changed is told by its change
  if (!field || !desired || !origin?.written || diagnosis.code === 'ImmutableField') return diagnosis;
  const writers = origin.written.filter((each) => each.path === field || isQuoted(each, { diagnosis, task, field }));
  const last = writers.at(-1);
  if (!last) return diagnosis;
  const parts = writers.filter(({ added }) => added !== undefined);
  const base = parts.length > 0 ? baseOf(desired.metadata.name ?? '', parts) : undefined;
  const evidence = [
    { name: `${last.path} is of`, value: writers.map(shown).join(', ') },
    { name: 'the object is of', value: `${origin.file}:${origin.line}${base === undefined ? '' : `, as ${base}`}` },
  ];
  if (base !== undefined && !plainName.test(base))
    return { ...diagnosis, evidence: [...evidence, ...diagnosis.evidence] };
  const guilty = guiltyOf(base, parts);
  const blamed = guilty ? [guilty] : parts.length > 0 ? parts : [last];
  return {
    ...diagnosis,
    place: placeOf(guilty ?? last, diagnosis.place),
    evidence: [...evidence, ...diagnosis.evidence],
    remedies: [
      {
        text: `Correct ${blamed.map(({ entry, file }) => `${entry} ${file ? `in ${file}` : 'of the Application'}`).join(', or ')}`,
      },
      ...diagnosis.remedies.filter(({ text }) => text !== `Correct ${field} in the manifest`),
    ],
  };
}

/** The server names a map, and quotes the value in it that it refuses. */
function isQuoted(
  { path }: Written,
  { diagnosis, task, field }: { diagnosis: Diagnosis; task: SyncTask; field: string },
): boolean {
  if (!path.startsWith(`${field}.`) && !path.startsWith(`${field}[`)) return false;
  const value = textAt(
    task.desired,
    ...[...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([all, inner]) => inner ?? all),
  );
  return value !== undefined && value !== '' && diagnosis.message.includes(JSON.stringify(value));
}

/** The part from which on the name can be none; undefined if what is wrong with it is not in one of them. */
function guiltyOf(base: string | undefined, parts: readonly Written[]): Written | undefined {
  if (base === undefined) return undefined;
  let name = base;
  let guilty: Written | undefined;
  for (const part of parts) {
    const { added = '', entry } = part;
    name = /Prefix$/.test(entry) ? added + name : name + added;
    guilty = plainName.test(name) ? undefined : (guilty ?? part);
  }
  return guilty;
}

/** The name before prefixes and suffixes; undefined if it was changed otherwise since. */
function baseOf(name: string, parts: readonly Written[]): string | undefined {
  let base = name;
  for (const { added = '', entry } of parts.toReversed()) {
    const inFront = /Prefix$/.test(entry);
    if (!(inFront ? base.startsWith(added) : base.endsWith(added))) return undefined;
    base = inFront ? base.slice(added.length) : base.slice(0, base.length - added.length);
  }
  return base;
}

function placeOf({ file, line, entry }: Written, place: Place | undefined): Place {
  const { file: _file, line: _line, column: _column, ...rest } = place ?? {};
  return { ...rest, ...(file ? { file } : {}), ...(line ? { line } : {}), field: entry };
}

const shown = ({ file, line, entry, added }: Written): string =>
  [entry, added === undefined ? '' : JSON.stringify(added), file ? `(${[file, line].filter(Boolean).join(':')})` : '']
    .filter(Boolean)
    .join(' ');
