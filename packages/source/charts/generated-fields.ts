import type { DesiredObject, GeneratedField } from '@tiphys/engine';
import type { LeafOrigin, RecordedValue } from '@tiphys/helm';
import { parseApiVersion } from '@tiphys/kubernetes';
import { generationKey } from '@tiphys/template';

/** What a render generated. */
export interface GeneratedTexts {
  readonly used: readonly RecordedValue[];
  /** Each text with what generated it, longest first. */
  readonly texts: readonly { readonly text: string; readonly key: string; readonly function: string }[];
}

/** What is shorter is found by chance. */
const tellingLength = 8;

export function generatedTexts(used: readonly RecordedValue[]): GeneratedTexts {
  const texts = used
    .flatMap((recorded) => {
      const { value } = recorded;
      const parts = typeof value === 'string' ? [value] : Object.values(value as Readonly<Record<string, string>>);
      return parts.map((text) => ({ text, key: generationKey(recorded), function: recorded.function }));
    })
    .filter(({ text }) => text.length >= tellingLength)
    .sort((a, b) => b.text.length - a.text.length);
  return { used, texts };
}

/**
 * The generated fields of an object: those that the trace knows, and those in which a generated text stands. `item` is the
 * object's place if the manifest is a list. Text that is known to be no part of what was generated is told apart, so that a
 * change of it is seen.
 */
export function generatedFields(
  { object }: DesiredObject,
  item: number | undefined,
  leaves: readonly LeafOrigin[],
  { used, texts }: GeneratedTexts,
): GeneratedField[] {
  const secret = object.kind === 'Secret' && parseApiVersion(object.apiVersion).group === '';
  return leaves.flatMap((leaf): GeneratedField[] => {
    const whole = stepsOf(leaf.path);
    if (item !== undefined && (whole[0] !== 'items' || whole[1] !== item)) return [];
    const path = item === undefined ? whole : whole.slice(2);
    const value = valueAt(object, path);
    if (value === undefined || path.length === 0) return [];
    const base64 = secret && path[0] === 'data';
    const text = base64 && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
    const found = typeof text === 'string' ? texts.filter(({ text: part }) => text.includes(part)) : [];
    if (leaf.generated.length === 0 && found.length === 0) return [];
    const functions = new Set([...leaf.generated, ...found.map((part) => part.function)]);
    const literals = typeof text === 'string' && found.length > 0 ? literalsOf(text, found) : undefined;
    return [
      {
        path,
        functions: [...functions].sort(),
        keys: [...new Set(found.length > 0 ? found.map(({ key }) => key) : keysOf(leaf, used))],
        ...(literals ? { literals, ...(base64 ? { base64 } : {}) } : {}),
      },
    ];
  });
}

/** A value that was hashed or cut is no longer found by its text. */
function keysOf({ generated }: LeafOrigin, used: readonly RecordedValue[]): string[] {
  return used.filter((recorded) => generated.includes(recorded.function)).map(generationKey);
}

/** The pieces around the generated texts. */
function literalsOf(text: string, found: GeneratedTexts['texts']): string[] {
  let pieces = [text];
  for (const part of found) pieces = pieces.flatMap((piece) => piece.split(part.text));
  return pieces;
}

/** Steps of a path as `leafOrigins` writes them: `spec.ports[0]["a/b"]`. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/([A-Za-z0-9_-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(JSON.parse(quoted as string) as string);
  }
  return steps;
}

function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
