import { freshRecorder, generationKey, type Recorded, type Recorder } from '@tiphys/template';

/**
 * A recorder that answers from what earlier renders recorded and generates the rest. `recorded` gives what this render
 * used, old and new: store it with the release, and the next render gives the same bytes.
 */
export function recordingRecorder(earlier: Readonly<Record<string, unknown>>): {
  readonly recorder: Recorder;
  readonly recorded: () => Record<string, Recorded>;
} {
  const fresh = freshRecorder();
  const used = new Map<string, Recorded>();
  const recorder: Recorder = {
    ...fresh,
    generate(generation, make) {
      const key = generationKey(generation);
      const value = Object.hasOwn(earlier, key) ? (earlier[key] as Recorded) : make();
      used.set(key, value);
      return value;
    },
  };
  return { recorder, recorded: () => Object.fromEntries(used) };
}
