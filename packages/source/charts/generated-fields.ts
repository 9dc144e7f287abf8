import type { DesiredObject, GeneratedField } from '@tiphys/engine';
import type { LeafOrigin, RecordedValue } from '@tiphys/helm';
import { parseApiVersion } from '@tiphys/kubernetes';
import { generationKey } from '@tiphys/template';

/** A text that was generated, by the key of its recorded value. */
export interface GeneratedText {
  readonly text: string;
  readonly key: string;
}

/** What is shorter is found by chance. */
const tellingLength = 4;

/** The texts of recorded values, longest first. */
export function generatedTexts(used: readonly RecordedValue[]): GeneratedText[] {
  return used
    .flatMap((recorded) => {
      const { value } = recorded;
      const texts = typeof value === 'string' ? [value] : Object.values(value as Readonly<Record<string, string>>);
      return texts.map((text) => ({ text, key: generationKey(recorded) }));
    })
    .filter(({ text }) => text.length >= tellingLength)
    .sort((a, b) => b.text.length - a.text.length);
}

/**
 * The generated fields of an object. `item` is the object's place if the manifest is a list. Text that is known to be no part
 * of what was generated is told apart, so that a change of it is seen.
 */
export function generatedFields(
  { object }: DesiredObject,
  item: number | undefined,
  leaves: readonly LeafOrigin[],
  texts: readonly GeneratedText[],
): GeneratedField[] {
  const secret = object.kind === 'Secret' && parseApiVersion(object.apiVersion).group === '';
  return leaves.flatMap(({ steps, generated, generations }): GeneratedField[] => {
    if (generated.length === 0 || (item !== undefined && (steps[0] !== 'items' || steps[1] !== item))) return [];
    const path = item === undefined ? steps : steps.slice(2);
    const value = valueAt(object, path);
    if (value === undefined || path.length === 0) return [];
    const keys = [...new Set(generations.map(generationKey))].sort();
    const base64 = secret && path[0] === 'data';
    const text = base64 && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;
    const found = texts.filter(
      (part) => keys.includes(part.key) && typeof text === 'string' && text.includes(part.text),
    );
    const literals = typeof text === 'string' && found.length > 0 ? literalsOf(text, found) : undefined;
    return [
      {
        path,
        functions: [...generated].sort(),
        keys,
        ...(literals ? { literals, ...(base64 ? { base64 } : {}) } : {}),
      },
    ];
  });
}

/** The pieces around the generated texts. */
function literalsOf(text: string, found: readonly GeneratedText[]): string[] {
  let pieces = [text];
  for (const part of found) pieces = pieces.flatMap((piece) => piece.split(part.text));
  return pieces;
}

function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
