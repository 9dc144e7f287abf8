import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { RenderShares } from './render-shares.ts';
import { RenderTurns, type RenderTurnsOptions, type TurnOptions } from './render-turns.ts';

/** Turns whose clock stands still, with a list of what has begun. */
class World {
  now = 0;
  readonly begun: string[] = [];
  readonly taken: string[] = [];
  readonly turns: RenderTurns;
  readonly #ends = new Map<string, () => void>();

  constructor(options: Partial<RenderTurnsOptions> = {}) {
    this.turns = new RenderTurns({
      threads: 2,
      slowAfter: 1_000_000,
      tellAfter: 1_000_000,
      now: () => this.now,
      ...options,
    });
  }

  async ask(project: string, work: string, options: Partial<TurnOptions> = {}): Promise<void> {
    const name = `${project}/${work}`;
    const onTaken = () => this.taken.push(name);
    const turn = await this.turns.take({ project, work }, { onTaken, ...options });
    this.begun.push(name);
    this.#ends.set(name, () => turn.end());
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await setImmediate();
  }

  /** What has begun since it was asked last. */
  news(): string[] {
    return this.begun.splice(0);
  }
}

/** A render that is slow as soon as it runs. */
async function slowWorld(): Promise<World> {
  const world = new World({ slowAfter: 1 });
  world.now = 10;
  return world;
}

async function untilSlow({ turns }: World, project: string, count: number): Promise<void> {
  while ((turns.load().find((load) => load.project === project)?.slow ?? 0) < count) await setImmediate();
}

test('a project that has nothing running finds a place, however many another one asks for', async () => {
  const world = new World();
  for (let i = 0; i < 50; i += 1) void world.ask('greedy', `${i}`);
  await setImmediate();
  assert.deepEqual(world.news(), ['greedy/0', 'greedy/1']);
  await world.ask('friendly', 'a');
  assert.deepEqual(
    world.turns.load().map(({ project, running, waiting }) => [project, running, waiting]),
    [
      ['greedy', 2, 48],
      ['friendly', 1, 0],
    ],
  );
});

test('who has used least is next, by the weights of the projects', async () => {
  const shares: RenderShares = { weights: new Map([['heavy', 2]]), limits: new Map() };
  const world = new World({ threads: 1, shares: () => shares });
  await world.ask('blocker', 'a');
  for (let i = 0; i < 9; i += 1) for (const project of ['heavy', 'light']) void world.ask(project, `${i}`);
  await setImmediate();
  world.begun.shift();
  const order: string[] = [];
  for (let i = 0; i < 9; i += 1) {
    const [running = ''] = world.news();
    order.push(running.split('/')[0] as string);
    world.now += 100;
    await world.end(running);
  }
  const of = (project: string) => order.filter((name) => name === project).length;
  assert.deepEqual([of('heavy'), of('light')], [6, 3], order.join(' '));
});

test('a limit holds although there is room', async () => {
  const shares: RenderShares = { weights: new Map(), limits: new Map([['*', 1]]) };
  const world = new World({ shares: () => shares });
  void world.ask('a', '1');
  void world.ask('a', '2');
  void world.ask('b', '1');
  await setImmediate();
  assert.deepEqual(world.news(), ['a/1', 'b/1']);
  await world.end('a/1');
  assert.deepEqual(world.news(), ['a/2']);
});

test('slow renders leave the places of others: first to their own lane, then to wait', async () => {
  const world = await slowWorld();
  for (const work of ['1', '2', '3']) void world.ask('greedy', work);
  await untilSlow(world, 'greedy', 3);
  assert.deepEqual(world.news(), ['greedy/1', 'greedy/2', 'greedy/3'], 'what waits may use the lane of slow ones too');
  await world.ask('one', 'a');
  await world.ask('two', 'a');
  assert.equal(world.taken.length, 1, 'the last to come has given its place back');
  await world.ask('one', 'b');
  assert.equal(world.taken.length, 2);
});

test('what was slow before begins in the lane of slow ones, and is quick again when it was', async () => {
  const world = await slowWorld();
  void world.ask('a', 'chart');
  await untilSlow(world, 'a', 1);
  world.now += 100;
  await world.end('a/chart');
  for (const work of ['chart', 'x', 'y']) void world.ask('a', work);
  await setImmediate();
  assert.deepEqual(world.news().sort(), ['a/chart', 'a/chart', 'a/x', 'a/y']);
  await world.end('a/chart');
  assert.equal(world.taken.length, 0);
});

test('who waits for long is told for whom, and who gives up leaves no gap', async () => {
  const world = new World({ tellAfter: 0 });
  for (let i = 0; i < 3; i += 1) void world.ask('greedy', `${i}`);
  void world.ask('other', 'a');
  const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, number>>();
  const abort = new AbortController();
  const waiting = world.ask('third', 'a', { onWait: resolve, signal: abort.signal });
  assert.deepEqual(
    [...(await promise)],
    [
      ['greedy', 2],
      ['other', 1],
    ],
  );
  abort.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  assert.equal(
    world.turns.load().find(({ project }) => project === 'third'),
    undefined,
  );
});
