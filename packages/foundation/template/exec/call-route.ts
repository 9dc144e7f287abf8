import { createHash } from 'node:crypto';
import type { Tree } from '../parse/tree.ts';
import type { CallRoute } from '../recorder/recorder.ts';
import { entriesOf, integerOf, stringOf, type Value } from '../value/value.ts';

/** A place in a template that includes another, or that calls. */
export interface CallPoint {
  readonly tree: Tree;
  /** Offset in the tree's text. */
  readonly at: number;
}

/** One round of a loop. */
export interface Round {
  readonly key: Value;
  readonly element: Value;
}

/** Digests of the way to a call, as `Generation` describes them. */
export function callRoute(
  callers: readonly CallPoint[],
  call: CallPoint | undefined,
  rounds: readonly Round[],
): CallRoute {
  return {
    root: (callers[0] ?? call)?.tree.parseName ?? '',
    callers: callers.length === 0 ? '' : shortDigest(callers.map(actionText)),
    text: shortDigest(call ? actionText(call) : ''),
    rounds: rounds.length === 0 ? '' : shortDigest(rounds.map(roundName)),
  };
}

function shortDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20);
}

/** The lines of the action around a place: what its author would call "this line". White space and its trimming are no part of it. */
function actionText({ tree: { text }, at }: CallPoint): string {
  const opening = Math.max(0, text.lastIndexOf('{{', at));
  const closing = text.indexOf('}}', at);
  const start = text.lastIndexOf('\n', opening) + 1;
  const end = text.indexOf('\n', closing < 0 ? at : closing);
  return text
    .slice(start, end < 0 ? undefined : end)
    .replace(/\{\{-?\s*|\s*-?\}\}/g, (mark) => (mark.startsWith('{') ? '{{' : '}}'))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Fields by which people tell the items of a list apart. */
const naming = ['name', 'key', 'id'];

/** What a round of a loop is called: a map's key, a scalar itself, an item's name; else its place. */
function roundName({ key, element }: Round): string {
  const ofKey = scalarText(key);
  if (typeof key === 'string') return `key ${ofKey}`;
  const own = scalarText(element);
  if (own !== undefined) return `value ${own}`;
  const fields = entriesOf(element);
  for (const name of naming) {
    const found = fields && scalarText(fields.get(name));
    if (found !== undefined) return `${name} ${found}`;
  }
  return `place ${ofKey ?? ''}`;
}

function scalarText(value: Value): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return stringOf(value) ?? integerOf(value)?.toString();
}
