import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { LeaseShards } from './lease-shards.ts';
import { MemoryCluster, ScriptedClock } from './testing/index.ts';

const step = 100;

const cutOff = { code: 'ClusterUnreachable', cause: 'C17', message: 'cut off', evidence: [], remedies: [] };

/** Processes that share shards over one cluster, of which each may be cut off from it, as one that died or froze is. */
class Replicas {
  readonly clock = new ScriptedClock();
  readonly #cluster = new MemoryCluster();
  readonly #abort = new AbortController();
  readonly #runs: Promise<void>[] = [];
  readonly #dead = new Set<number>();
  readonly shards: LeaseShards[] = [];
  /** What any of them reported. */
  readonly errors: unknown[] = [];

  constructor(context: TestContext, count: number) {
    for (let replica = 0; replica < count; replica++) {
      const shards = new LeaseShards({
        client: this.#client(replica),
        namespace: 'control',
        clock: this.clock,
        count,
        leaseName: (shard) => `shard-${shard}`,
        onChange: () => undefined,
        onError: (_, error) => void this.errors.push(error),
      });
      this.shards.push(shards);
      this.#runs.push(shards.run(this.#abort.signal));
    }
    context.after(async () => {
      this.#abort.abort();
      await Promise.all(this.#runs);
    });
  }

  kill(replica: number): void {
    this.#dead.add(replica);
  }

  async pass(milliseconds: number): Promise<void> {
    for (let time = 0; time < milliseconds; time += step) {
      await this.clock.advance(step);
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Who acts for a shard, of those who live. */
  holders(shard: number): number[] {
    return this.shards.flatMap((shards, replica) => (!this.#dead.has(replica) && shards.hold(shard) ? [replica] : []));
  }

  #client(replica: number): Client {
    return new Proxy(this.#cluster.client, {
      get: (client, name) => {
        const value = (client as unknown as Record<string | symbol, unknown>)[name];
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (this.#dead.has(replica)) throw new DiagnosisError(cutOff);
          return (value as (...given: unknown[]) => unknown)(...args);
        };
      },
    });
  }
}

test('of four replicas one dies: each of its shards is held by another within ten seconds, and never by two', async (context) => {
  const replicas = new Replicas(context, 4);
  await replicas.pass(5_000);
  const before = [0, 1, 2, 3].map((shard) => replicas.holders(shard));
  assert.ok(before.every((holders) => holders.length === 1));
  const [dead] = before[0] as [number];
  const orphans = [0, 1, 2, 3].filter((shard) => before[shard]?.[0] === dead);
  replicas.kill(dead);
  let taken = Number.POSITIVE_INFINITY;
  for (let time = step; time <= 10_000; time += step) {
    await replicas.pass(step);
    for (const shard of [0, 1, 2, 3]) {
      const all = replicas.shards.filter((shards) => shards.hold(shard));
      assert.ok(all.length <= 1, `shard ${shard} is held by ${all.length} at ${time} ms`);
    }
    if (orphans.every((shard) => replicas.holders(shard).length === 1)) taken = Math.min(taken, time);
  }
  assert.ok(taken <= 10_000, `the shards ${orphans} are held by nobody`);
  for (const shard of [0, 1, 2, 3]) assert.equal(replicas.holders(shard).length, 1);
});

test('why a shard cannot be held is reported with its cause, and not as an internal error', async (context) => {
  const replicas = new Replicas(context, 1);
  replicas.kill(0);
  await replicas.pass(20_000);
  assert.deepEqual(new Set(replicas.errors.map((error) => diagnosisOf(error).code)), new Set(['ClusterUnreachable']));
});
