import { parseDocuments } from '@tiphys/yaml';
import type { Fate } from './fate.ts';

/** Fields of a fate and what they hold. */
const fields: Readonly<Record<keyof Fate, 'number' | 'string' | 'object' | readonly string[]>> = {
  start: 'number',
  run: 'number',
  exit: 'number',
  message: 'string',
  loss: ['evicted', 'lost', 'never', 'init'],
  outputs: 'object',
};

/** A file of fates says what none can. */
class FatesInvalid extends Error {
  override name = 'VerbError';
}

/** The fates of a file, by a part of the name of a node. Throws what is wrong with one, with its line. */
export function readFates(text: string, file: string): readonly (readonly [part: string, fate: Fate])[] {
  const [document] = parseDocuments(text, { file }).documents;
  const value = document?.value as unknown;
  if (value === null || value === undefined) return [];
  if (!isObject(value)) throw new FatesInvalid(`${file}:1: fates must be a map from a part of a node's name to a fate`);
  return Object.entries(value).map(([part, fate]) => {
    const where = `${file}:${document?.lineOf([part]) ?? 1}`;
    if (!isObject(fate)) throw new FatesInvalid(`${where}: the fate of ${part} must be a map, such as {exit: 1}`);
    for (const [field, given] of Object.entries(fate)) {
      const problem = problemOf(part, field, given);
      if (problem) throw new FatesInvalid(`${where}: ${problem}`);
    }
    return [part, fate as Fate];
  });
}

function problemOf(part: string, field: string, given: unknown): string | undefined {
  if (!Object.hasOwn(fields, field))
    return `${part} has the field ${field}, which a fate does not have; it has ${Object.keys(fields).join(', ')}`;
  const wanted = fields[field as keyof Fate];
  if (typeof wanted !== 'string')
    return wanted.includes(given as string)
      ? undefined
      : `${field} of ${part} must be ${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1)}`;
  return typeof given === wanted && given !== null
    ? undefined
    : `${field} of ${part} must be ${wanted === 'object' ? 'a map' : `a ${wanted}`}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
