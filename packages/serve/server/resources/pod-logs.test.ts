import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { ApiError, type Client } from '@tiphys/kubernetes';
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

test('a node without logs is told as such', async () => {
  const client = clientOf(async function* () {
    yield* [];
    const message = 'the server could not find the requested resource ( pods/log p)';
    const diagnosis = {
      code: 'X0',
      category: 'sync',
      severity: 'error',
      message,
      evidence: [],
    } as unknown as Diagnosis;
    throw new ApiError(diagnosis, { status: 404, reason: 'NotFound', body: { message } });
  });
  const [line] = await Array.fromAsync(mergedLogs(client, [pod], {}));
  assert.match(line?.content ?? '', /^p: its node keeps no logs\. .* --runtime process$/);
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
