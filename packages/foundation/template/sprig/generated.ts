import { createHash } from 'node:crypto';
import type { Budget } from '../bounds/budget.ts';
import { generationKey, type Recorded } from '../recorder/recorder.ts';
import type { CallContext } from '../value/call-context.ts';

const occurrences = new WeakMap<Budget, Map<string, number>>();

/** The recorded result of a source of randomness or time at this call, or what `make` gives, which is then recorded. */
export function generated<T extends Recorded>(context: CallContext, args: readonly string[], make: () => T): T {
  const { template, line, column, name } = context.site();
  const digest = createHash('sha256').update(JSON.stringify(args)).digest('hex');
  const identity = { function: name, digest, ...context.route() };
  const key = generationKey({ ...identity, template, line, column, occurrence: 0 });
  let counts = occurrences.get(context.budget);
  if (!counts) {
    counts = new Map();
    occurrences.set(context.budget, counts);
  }
  const occurrence = counts.get(key) ?? 0;
  counts.set(key, occurrence + 1);
  const generation = { template, line, column, ...identity, occurrence };
  const value = context.recorder.generate(generation, make) as T;
  context.trace?.generated(generation);
  return value;
}
