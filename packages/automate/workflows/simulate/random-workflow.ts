import type { DagTask, Pod, RetryStrategy, Template, TemplateCall, Workflow } from '../model/types.ts';
import type { Fate } from './fate.ts';

/** A source of numbers from 0 to 1 that gives the same ones for the same seed. */
export type Random = () => number;

const chance = (random: Random, share: number) => random() < share;
const pick = <T>(random: Random, items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
const upTo = (random: Random, count: number) => Math.floor(random() * (count + 1));

/** A workflow of steps, DAGs and pods, with loops, conditions, retries, hooks, limits and failures that go on. */
export function randomWorkflow(random: Random): Workflow {
  const templates: Template[] = [];
  const leaves = Array.from({ length: 1 + upTo(random, 3) }, (_, index) => leaf(random, `leaf${index}`));
  templates.push(...leaves);
  const names = leaves.map(({ name = '' }) => name);
  for (let index = 0; index < 1 + upTo(random, 3); index += 1) {
    const name = `tree${index}`;
    templates.push(chance(random, 0.5) ? steps(random, name, names) : dag(random, name, names));
    names.push(name);
  }
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: {
      entrypoint: names.at(-1) as string,
      templates,
      ...(chance(random, 0.3) ? { onExit: names[0] as string } : {}),
      ...(chance(random, 0.2) ? { parallelism: 1 + upTo(random, 2) } : {}),
      ...(chance(random, 0.1) ? { activeDeadlineSeconds: 5 + upTo(random, 60) } : {}),
    },
  };
}

function leaf(random: Random, name: string): Template {
  const kind = random();
  if (kind < 0.1) return { name, suspend: { duration: String(1 + upTo(random, 5)) } };
  const shared = {
    name,
    ...(chance(random, 0.4) ? { retryStrategy: retry(random) } : {}),
    ...(chance(random, 0.1) ? { timeout: `${5 + upTo(random, 30)}s` } : {}),
    ...(chance(random, 0.15) ? { synchronization: { mutexes: [{ name: 'one' }] } } : {}),
  };
  if (kind < 0.2) {
    const containers = [
      { name: 'a', image: 'x', command: ['x'] },
      { name: 'main', image: 'x', command: ['x'], dependencies: ['a'] },
    ];
    return { ...shared, containerSet: { containers } };
  }
  return { ...shared, container: { image: 'x', command: ['x'] } };
}

function retry(random: Random): RetryStrategy {
  return {
    limit: upTo(random, 3),
    ...(chance(random, 0.5) ? { retryPolicy: pick(random, ['Always', 'OnError', 'OnFailure'] as const) } : {}),
    ...(chance(random, 0.4) ? { backoff: { duration: '2s', factor: 2, maxDuration: '30s' } } : {}),
    ...(chance(random, 0.2) ? { expression: 'asInt(lastRetry.exitCode) != 2' } : {}),
  };
}

function call(random: Random, names: readonly string[]): TemplateCall {
  return {
    template: pick(random, names),
    ...(chance(random, 0.2) ? { withItems: ['x', 'y'].slice(0, 1 + upTo(random, 1)) } : {}),
    ...(chance(random, 0.05) ? { withParam: '[]' } : {}),
    ...(chance(random, 0.2) ? { when: pick(random, ['1 == 1', 'a == b', '{{workflow.name}} == w']) } : {}),
    ...(chance(random, 0.2) ? { onExit: names[0] as string } : {}),
    ...(chance(random, 0.1)
      ? { hooks: { running: { template: names[0] as string, expression: 'workflow.status == "Running"' } } }
      : {}),
  };
}

function limits(random: Random): Partial<Template> {
  return {
    ...(chance(random, 0.2) ? { parallelism: 1 + upTo(random, 1) } : {}),
    ...(chance(random, 0.15) ? { failFast: true } : {}),
    ...(chance(random, 0.1) ? { retryStrategy: { limit: 1 } } : {}),
  };
}

function steps(random: Random, name: string, names: readonly string[]): Template {
  const groups = Array.from({ length: 1 + upTo(random, 2) }, (_, group) =>
    Array.from({ length: 1 + upTo(random, 2) }, (__, index) => ({
      ...call(random, names),
      name: `s${group}${index}`,
      ...(chance(random, 0.3) ? { continueOn: { failed: true, error: chance(random, 0.5) } } : {}),
    })),
  );
  return { name, steps: groups, ...limits(random) };
}

function dag(random: Random, name: string, names: readonly string[]): Template {
  const tasks: DagTask[] = [];
  for (let index = 0; index < 1 + upTo(random, 4); index += 1) {
    const before = tasks.map((task) => task.name);
    tasks.push({ ...call(random, names), name: `t${index}`, ...order(random, before) });
  }
  return { name, dag: { tasks, ...(chance(random, 0.3) ? { failFast: false } : {}) }, ...limits(random) };
}

function order(random: Random, before: readonly string[]): Partial<DagTask> {
  if (before.length === 0 || chance(random, 0.3)) return {};
  const some = before.filter(() => chance(random, 0.6));
  if (some.length === 0) return {};
  if (chance(random, 0.5)) return { dependencies: some };
  const results = ['', '.Succeeded', '.Failed', '.Errored', '.Skipped', '.Omitted', '.AnySucceeded', '.AllFailed'];
  return { depends: some.map((task) => `${task}${pick(random, results)}`).join(pick(random, [' && ', ' || '])) };
}

/** What becomes of each pod, by its name alone: equal pods have equal fates whatever the order in which they are made. */
export function randomFates(seed: number, seeded: (seed: number) => Random): (pod: Pod) => Fate {
  return ({ metadata }) => {
    let hash = seed;
    for (const char of metadata.name ?? '') hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
    const random = seeded(hash);
    const kind = random();
    const times = { start: upTo(random, 3), run: upTo(random, 4) };
    if (kind < 0.05) return { ...times, loss: 'evicted' };
    if (kind < 0.1) return { ...times, loss: 'lost' };
    if (kind < 0.13) return { ...times, loss: 'init' };
    if (kind < 0.35) return { ...times, exit: 1 + upTo(random, 2) };
    return times;
  };
}
