import type { EventStep, EventWay } from '../api/events.ts';

/** How an event ended, for its colour: as it was wished, not, or not yet. */
export type Outcome = 'done' | 'failed' | 'refused' | 'waiting';

const outcomes: Readonly<Record<string, Outcome>> = {
  triggered: 'done',
  failed: 'failed',
  'dead-letter': 'failed',
  refused: 'refused',
  dropped: 'refused',
  reset: 'refused',
};

/** What became of an event: a failure counts more than a success, and a success more than a refusal by another sensor. */
export function outcomeOf({ steps }: Pick<EventWay, 'steps'>): Outcome {
  const last = new Map<string, EventStep>();
  for (const step of steps) last.set(`${step.sensor ?? ''}/${step.trigger ?? ''}/${step.dependency ?? ''}`, step);
  const found = new Set([...last.values()].map(({ kind }) => outcomes[kind] ?? 'waiting'));
  for (const outcome of ['failed', 'done', 'refused'] as const) if (found.has(outcome)) return outcome;
  return 'waiting';
}

/** The ways whose id, source, event or any step has the text. */
export function matching(ways: readonly EventWay[], text: string): EventWay[] {
  return ways.filter(({ id, namespace, eventSource, event, steps }) =>
    [id, `${namespace}/${eventSource}/${event}`, ...steps.flatMap((step) => [step.sensor ?? '', step.text])].some(
      (part) => part.includes(text),
    ),
  );
}
