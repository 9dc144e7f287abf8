import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@tiphys/kubernetes';
import { mergedLogs } from './pod-logs.ts';

const pod = { namespace: 'n', name: 'p' };

const clientOf = (logs: () => AsyncGenerator<Uint8Array>) => ({ logs }) as unknown as Client;

test('a line that a pod never ends is shown in parts, and no more of it is kept', async () => {
  let given = 0;
  const client = clientOf(async function* () {
    yield Buffer.from('2024-01-02T03:04:05Z ');
    for (;;) {
      given += 65_536;
      yield Buffer.alloc(65_536, 'x');
    }
  });
  let shown = 0;
  for await (const { content } of mergedLogs(client, [pod], { follow: true })) {
    shown += content.length;
    assert.ok(given - shown < 2 << 20, `${given - shown} bytes are kept`);
    if (shown > 5 << 20) break;
  }
});

test('lines come with their times, empty ones too', async () => {
  const client = clientOf(async function* () {
    yield Buffer.from('2024-01-02T03:04:05Z one\n2024-01-02T03:04:06Z \nno time');
  });
  assert.deepEqual(
    (await Array.fromAsync(mergedLogs(client, [pod], {}))).map(({ content }) => content),
    ['one', '', 'no time'],
  );
});
