import { freshRecorder, type Generation, generationKey, type Recorded, type Recorder } from '@tiphys/template';

/** A value that a render generated, with its identity: plain JSON. */
export interface RecordedValue extends Generation {
  readonly value: Recorded;
}

export interface RecordedRender<T> {
  readonly result: T;
  /** What the render used, old and new. Store it with the release, and the next render gives the same bytes. */
  readonly used: readonly RecordedValue[];
  /** Keys of those in `used` that were generated now, and must be stored before the result is. */
  readonly fresh: ReadonlySet<string>;
}

/** A value that depends on another one finds its own only after that one has: a certificate, its authority, its key. */
const maxPasses = 5;

/**
 * Renders over the values that earlier renders recorded; what is not among them is generated. A call that was edited or
 * moved, so that its identity is new, takes over the value of the call that it was: then the chart is rendered again.
 */
export function renderRecorded<T>(
  earlier: readonly RecordedValue[],
  render: (recorder: Recorder) => T,
): RecordedRender<T> {
  const known = new Map(earlier.map((recorded) => [generationKey(recorded), recorded]));
  for (let pass = 1; ; pass++) {
    const used = new Map<string, RecordedValue>();
    const fresh = new Map<string, RecordedValue>();
    const result = render(recorderOver(known, used, fresh));
    const left = [...known].flatMap(([key, recorded]) => (used.has(key) ? [] : [recorded]));
    const moved = pass < maxPasses ? reassign([...fresh.values()], left) : [];
    if (moved.length === 0) {
      const keys = new Set(earlier.map(generationKey));
      return { result, used: [...used.values()], fresh: new Set([...used.keys()].filter((key) => !keys.has(key))) };
    }
    for (const recorded of moved) known.set(generationKey(recorded), recorded);
  }
}

function recorderOver(
  known: ReadonlyMap<string, RecordedValue>,
  used: Map<string, RecordedValue>,
  fresh: Map<string, RecordedValue>,
): Recorder {
  return {
    ...freshRecorder(),
    generate(generation, make) {
      const key = generationKey(generation);
      const earlier = known.get(key);
      const recorded = { ...generation, value: earlier ? earlier.value : make() };
      used.set(key, recorded);
      if (!earlier) fresh.set(key, recorded);
      return recorded.value;
    },
  };
}

type Identity = (generation: Generation) => string;

/**
 * Chart, function, arguments and loop rounds are never forgiven: another chart of the release, or another user in a list,
 * must not get this one's password.
 */
const core: Identity = ({ root, function: name, digest, rounds }) =>
  `${root.slice(0, root.indexOf('/'))} ${name} ${digest} ${rounds}`;

/** What may have changed when a call is still the same one, the surest first. */
const likenesses: readonly { readonly like: Identity; readonly sameNumber?: true }[] = [
  // the file was renamed
  { like: (generation) => `${core(generation)} ${generation.callers} ${generation.text}` },
  // the line that includes the helper was edited
  { like: (generation) => `${core(generation)} ${generation.root} ${generation.text}` },
  // the line itself was edited
  { like: (generation) => `${core(generation)} ${generation.root} ${generation.callers} ${generation.line}` },
  // it was edited and moved: only if there is no doubt which was which
  { like: (generation) => `${core(generation)} ${generation.root} ${generation.callers}`, sameNumber: true },
];

/** Values of calls that are gone, under the identity of the new calls that they have become. */
function reassign(fresh: readonly RecordedValue[], left: readonly RecordedValue[]): RecordedValue[] {
  const moved: RecordedValue[] = [];
  const [wanting, free] = [new Set(fresh), new Set(left)];
  for (const { like, sameNumber } of likenesses) {
    const candidates = Map.groupBy(free, like);
    for (const [likeness, group] of Map.groupBy(wanting, like)) {
      const known = candidates.get(likeness) ?? [];
      if (sameNumber && known.length !== group.length) continue;
      for (const [index, call] of group.entries()) {
        const value = known[index];
        if (!value) break;
        moved.push({ ...call, value: value.value });
        wanting.delete(call);
        free.delete(value);
      }
    }
  }
  return moved;
}
