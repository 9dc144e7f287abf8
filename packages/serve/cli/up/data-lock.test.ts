import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDataFolder } from './data-lock.ts';
import { checkPort } from './ports/port-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a data folder belongs to one process, which is named to others', () => {
  const release = lockDataFolder(folder);
  assert.throws(() => lockDataFolder(folder), new RegExp(`is used by process ${process.pid} .*another --data`));
  release();
  assert.deepEqual(readdirSync(folder), []);
  lockDataFolder(folder)();
});

test('what a process left that is no more is taken over; a process of another machine is believed', () => {
  const lock = join(folder, 'lock.json');
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), began: '1', since: 'then' }));
  lockDataFolder(folder)();
  writeFileSync(lock, 'not even JSON');
  lockDataFolder(folder)();
  writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere', began: '1', since: 'then' }));
  assert.throws(() => lockDataFolder(folder), /process 1 of elsewhere since then/);
});

test('a taken port is told in one line with its owner and the next free one', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await assert.rejects(checkPort({ host: '127.0.0.1', port }), ({ message }: Error) => {
    assert.match(
      message,
      new RegExp(`^Port ${port} of 127.0.0.1 is taken by .*the next free one is \\d+: npm start -- --port \\d+`),
    );
    assert.doesNotMatch(message, /\n/);
    return true;
  });
  await new Promise((resolve) => server.close(resolve));
  await checkPort({ host: '127.0.0.1', port });
});
