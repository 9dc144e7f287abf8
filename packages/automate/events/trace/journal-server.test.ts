import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { Journal } from './journal.ts';
import { serveJournal } from './journal-server.ts';

it('serves the ways of events to this machine alone', async () => {
  const journal = new Journal(systemClock);
  const about = { id: 'abc123', namespace: 'ns', eventSource: 'hooks', event: 'push', type: 'webhook' };
  journal.add(about, { kind: 'received', text: 'received' });
  journal.add(about, { kind: 'refused', sensor: 's', text: 'filter data: no' });
  const server = await serveJournal(journal, 0);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return [response.status, await response.json()] as const;
  };
  const [status, entry] = await get('/events/ns/abc');
  assert.equal(status, 200);
  assert.deepEqual(
    (entry as { steps: { text: string }[] }).steps.map(({ text }) => text),
    ['received', 'filter data: no'],
  );
  assert.equal(((await get('/events?sensor=s'))[1] as unknown[]).length, 1);
  assert.equal(((await get('/events?sensor=other'))[1] as unknown[]).length, 0);
  assert.equal((await get('/events/ns/zzz'))[0], 404);
  const elsewhere = await new Promise<number>((resolve, reject) => {
    request(
      { port: server.port, host: '127.0.0.1', path: '/events', headers: { host: 'evil.example' } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end();
  });
  assert.equal(elsewhere, 403);
  server.close();
});
