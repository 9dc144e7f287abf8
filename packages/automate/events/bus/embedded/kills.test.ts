import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { EventLog } from './event-log.ts';

const kills = Number(process.env.EVENTS_KILLS ?? 60);
const publisher = join(import.meta.dirname, '..', 'testing', 'killed-publisher-worker.ts');

const logOptions = {
  now: () => Date.now(),
  onError: (error: unknown) => assert.fail(String(error)),
};
const waitingIn = (log: EventLog) => log.read('bus', 'source.event', { after: log.place('bus', 'reader'), most: 1000 });

/** Runs a publisher until it has said so many numbers, and kills it; gives what it said. */
async function publishUntilKilled(file: string, first: number, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [publisher, file, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(Number(line));
    if (said.length === count) child.kill('SIGKILL');
  }
  return said;
}

it(`loses nothing that it took in ${kills} kills, and tells each reader of it once and in order`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-kills-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'events.sqlite');
  const taken = new Set<number>();
  const read: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const first = kill * 100_000;
    for (const number of await publishUntilKilled(file, first, 1 + ((kill * 7) % 40))) taken.add(number);
    const log = new EventLog(file, logOptions);
    // half of what is there is read and acknowledged between two kills
    const waiting = waitingIn(log);
    for (const { sequence, body } of waiting.slice(0, Math.ceil(waiting.length / 2))) {
      read.push(Number(body));
      log.acknowledge('bus', 'reader', sequence);
    }
    await log.settled();
    log.close();
  }
  const log = new EventLog(file, logOptions);
  for (let rest = waitingIn(log); rest.length > 0; rest = waitingIn(log)) {
    for (const { sequence, body } of rest) {
      read.push(Number(body));
      log.acknowledge('bus', 'reader', sequence);
    }
    await log.settled();
  }
  log.close();
  assert.ok(taken.size >= kills);
  const seen = new Set(read);
  assert.deepEqual(
    [...taken].filter((number) => !seen.has(number)),
    [],
  );
  assert.equal(seen.size, read.length, 'a message was read twice');
  for (let i = 1; i < read.length; i++) {
    const [before = 0, after = 0] = [read[i - 1], read[i]];
    assert.ok(Math.floor(before / 100_000) <= Math.floor(after / 100_000), `${before} was read before ${after}`);
  }
});
