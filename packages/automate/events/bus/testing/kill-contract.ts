import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import type { BusConfig } from '../../spec/event-bus.ts';

export interface KilledBus {
  readonly config: BusConfig;
  /** Of an embedded bus. */
  readonly file?: string;
  /** The server hands messages to killed clients until it misses their heartbeats: those come again late, behind newer ones. */
  readonly handsToKilled?: boolean;
  /** Kills the server and starts it again with what it has on disk. */
  readonly restart?: () => Promise<void>;
}

/** How often clients are killed: EVENTS_KILLS, else few. */
const kills = Number(process.env.EVENTS_KILLS ?? 2);
const timeout = 120_000;
const worker = join(import.meta.dirname, 'killed-client-worker.ts');

interface Account {
  /** What was put and not got. */
  readonly missing: Set<string>;
  put: number;
  /** What was got, with each key, in the order of the first times. */
  readonly got: Map<string, Set<number>>;
}

/**
 * Nothing is lost, and each key keeps its order unless the server hands messages to the killed, while a client that publishes and consumes is killed again and again, and
 * every other time its server too, where that keeps its log on disk, which the client has to get over first.
 */
export function killContract(under: () => KilledBus): void {
  it(`loses nothing in ${kills} kills, and keeps the order of each key where the server knows who was killed`, async () => {
    const account: Account = { missing: new Set(), put: 0, got: new Map() };
    for (let kill = 0; kill < kills; kill++) {
      const enough = 5 + ((kill * 13) % 50);
      const { restart } = under();
      const disturb = kill % 2 === 1 ? restart : undefined;
      await run(under(), { account, first: kill * 1_000_000, isEnough: (lines) => lines > enough, disturb });
    }
    await run(under(), { account, isEnough: () => account.missing.size === 0 });
    assert.deepEqual([...account.missing], []);
    assert.ok(account.put >= kills, `only ${account.put} were published`);
    if (under().handsToKilled) return;
    for (const [key, numbers] of account.got) {
      const got = [...numbers];
      const late = got.filter((number, index) => got.slice(0, index).some((before) => before > number));
      assert.ok(late.length === 0, `order of ${key}: ${late.join(', ')} came late in ${got.join(', ')}`);
    }
  });
}

function note(account: Account, line: string): void {
  const [what, key = '', text] = line.split(' ');
  const number = Number(text);
  const got = account.got.get(key) ?? new Set();
  if (what === 'put') {
    account.put += 1;
    if (!got.has(number)) account.missing.add(`${key} ${number}`);
  }
  if (what === 'got') {
    account.got.set(key, got.add(number));
    account.missing.delete(`${key} ${number}`);
  }
}

interface Run {
  readonly account: Account;
  readonly first?: number;
  readonly isEnough: (lines: number) => boolean;
  /** What the client has to get over before it is killed. */
  readonly disturb?: (() => Promise<void>) | undefined;
}

/** Runs a client until it has said enough, and kills it. */
async function run({ config, file }: KilledBus, { account, first, isEnough, disturb }: Run): Promise<void> {
  const child = spawn(process.execPath, [worker, JSON.stringify({ config, file, first })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += String(chunk);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeout);
  let lines = 0;
  let left = disturb && 10;
  for await (const line of createInterface({ input: child.stdout })) {
    note(account, line);
    lines += 1;
    if (!isEnough(lines)) continue;
    if (disturb && left === 10) await disturb();
    if (left !== undefined && left > 0) left -= 1;
    if (!left) child.kill('SIGKILL');
  }
  clearTimeout(timer);
  assert.ok(!isLate, `the client did not get far enough in ${timeout} ms, it misses ${account.missing.size}: ${told}`);
  assert.ok(lines > 0, `the client ended: ${told}`);
}
