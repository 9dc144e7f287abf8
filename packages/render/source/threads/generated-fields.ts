import type { LeafOrigin, RecordedValue } from '@tiphys/helm';
import { parseApiVersion } from '@tiphys/kubernetes';
import { generationKey } from '@tiphys/template';
import type { DesiredObject, GeneratedField } from '../request/desired-object.ts';
import { literalText, otherValue } from './literal-text.ts';

/** One render's objects of a document, and what it generated. */
export interface GeneratingRender {
  readonly objects: readonly DesiredObject[];
  readonly used: readonly RecordedValue[];
}

/** What is shorter is found by chance. */
const tellingLength = 4;

/** The texts of recorded values, plain and in base64, longest first. */
function textsOf({ value }: RecordedValue): string[] {
  const texts = typeof value === 'string' ? [value] : Object.values(value as Readonly<Record<string, string>>);
  return texts
    .flatMap((text) => [text, Buffer.from(text).toString('base64')])
    .filter((text) => text.length >= tellingLength);
}

const longestFirst = (a: string, b: string) => b.length - a.length;

/**
 * The generated fields of the objects of a document. `other` is the same document with other values: text that is the same in
 * both was not generated, so that a change of it is seen.
 */
export function generatedFields(
  leaves: readonly LeafOrigin[],
  { objects, used }: GeneratingRender,
  other: GeneratingRender | undefined,
): GeneratedField[][] {
  const isList = leaves.some(({ steps }) => steps[0] === 'items' && typeof steps[1] === 'number');
  const byKey = new Map(used.map((value) => [generationKey(value), value]));
  const otherTexts = (other?.used ?? []).flatMap(textsOf).sort(longestFirst);
  return objects.map(({ object }, index) =>
    leaves.flatMap(({ steps, generated, generations }): GeneratedField[] => {
      if (generated.length === 0 || (isList && (steps[0] !== 'items' || steps[1] !== index))) return [];
      const path = isList ? steps.slice(2) : steps;
      const value = valueAt(object, path);
      if (value === undefined || path.length === 0) return [];
      const keys = [...new Set(generations.map(generationKey))].sort();
      const base64 = path[0] === 'data' && object.kind === 'Secret' && parseApiVersion(object.apiVersion).group === '';
      const text = textAt(object, path, base64);
      const otherText = textAt(other?.objects[index]?.object, path, base64);
      const literals =
        text === undefined || otherText === undefined
          ? undefined
          : literalsOf(
              text,
              keys.flatMap((key) => byKey.get(key) ?? []),
              otherText,
              otherTexts,
            );
      return [
        {
          path,
          functions: [...generated].sort(),
          keys,
          ...(literals ? { literals, ...(base64 ? { base64 } : {}) } : {}),
        },
      ];
    }),
  );
}

function literalsOf(
  text: string,
  values: readonly RecordedValue[],
  otherText: string,
  otherTexts: readonly string[],
): string[] | undefined {
  const found = values.map((value) => ({ value, texts: textsOf(value).filter((part) => text.includes(part)) }));
  // What is in it in another form, and the same in both renders, would be taken for literal.
  const hidden = found.some(
    ({ value, texts }) => texts.length === 0 && otherValue(value.function, value.value) === undefined,
  );
  if (hidden) return undefined;
  return literalText(text, found.flatMap(({ texts }) => texts).sort(longestFirst), otherText, otherTexts);
}

function textAt(object: unknown, path: readonly (string | number)[], base64: boolean): string | undefined {
  const value = valueAt(object, path);
  if (typeof value !== 'string') return undefined;
  return base64 ? Buffer.from(value, 'base64').toString('utf8') : value;
}

function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
