import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RegistryError } from '../access/registry-error.ts';
import { startTestServer, type TestAnswer } from '../testing/index.ts';
import { HttpClient } from './http-client.ts';

/** Time passes as soon as somebody waits. */
function hurriedClock() {
  const pauses: number[] = [];
  return {
    pauses,
    now: () => 0,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms >= 60_000)
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      pauses.push(ms);
      return Promise.resolve();
    },
  };
}

async function withAnswers(
  answers: readonly TestAnswer[],
  body: (url: string, client: HttpClient, pauses: number[], count: () => number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const server = await startTestServer(() => answers[Math.min(next++, answers.length - 1)]);
  const clock = hurriedClock();
  try {
    await body(server.url, new HttpClient({ clock }), clock.pauses, () => server.requests.length);
  } finally {
    await server.close();
  }
}

test('a busy host is asked again, as late as it says; then its answer stands', () =>
  withAnswers(
    [{ status: 503, headers: { 'retry-after': '2' } }, { status: 429 }, { status: 200, body: 'ok' }],
    async (url, client, pauses) => {
      const answer = await client.send({ url, access: {}, maxBytes: 100 });
      assert.equal(answer.status, 200);
      assert.deepEqual(pauses, [2000, 1000]);
    },
  ));

test('a broken connection is tried again, and told if it stays broken', () =>
  withAnswers([{ body: 'half of it', cut: true }], async (url, client, _, count) => {
    await assert.rejects(client.send({ url, access: {}, maxBytes: 100 }), (error) => {
      assert.ok(error instanceof RegistryError);
      assert.equal(error.diagnosis.code, 'RegistryUnreachable');
      assert.equal(error.handling, 'retryable');
      return true;
    });
    assert.equal(count(), 3);
  }));

test('redirects end', () =>
  withAnswers([{ status: 302, headers: { location: '/again' } }], async (url, client) => {
    await assert.rejects(client.send({ url, access: {}, maxBytes: 100 }), /10 redirects/);
  }));

test('a redirect to what is not HTTP is not followed', () =>
  withAnswers([{ status: 302, headers: { location: 'file:///etc/passwd' } }], async (url, client) => {
    await assert.rejects(client.send({ url, access: {}, maxBytes: 100 }), /unsupported protocol scheme "file"/);
  }));

test('a host that never answers is given up in time, and a caller who gives up is let go', async () => {
  const server = await startTestServer(() => ({ endless: true }));
  const give = new AbortController();
  try {
    const waiting = new HttpClient().send({ url: server.url, access: {}, maxBytes: 2 ** 40, signal: give.signal });
    give.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    await assert.rejects(
      new HttpClient({ clock, attempts: 1 }).send({ url: server.url, access: {}, maxBytes: 2 ** 40 }),
      /no answer in time/,
    );
  } finally {
    await server.close();
  }
});

test('nobody there: the words of helm, and a diagnosis', async () => {
  const server = await startTestServer(() => undefined);
  await server.close();
  await assert.rejects(
    new HttpClient().send({ url: `${server.url}/x?token=secret`, access: {}, maxBytes: 1 }),
    (error) => {
      assert.ok(error instanceof RegistryError);
      assert.equal(error.goMessage, `Get "${server.url}/x": dial tcp ${server.host}: connect: connection refused`);
      return true;
    },
  );
});

test('a proxy is used as the access says, and one that can not be used is not passed by', async () => {
  const proxy = await startTestServer(({ url }) => ({ body: `proxied ${url}` }));
  const origin = await startTestServer(() => ({ body: 'direct' }));
  const body = async (access: object): Promise<string> =>
    (await new HttpClient({ attempts: 1 }).send({ url: origin.url, access, maxBytes: 100 })).body.toString();
  try {
    assert.equal(await body({ proxy: proxy.url }), `proxied ${origin.url}/`);
    assert.equal(await body({ proxy: proxy.host }), `proxied ${origin.url}/`);
    assert.equal(await body({ proxy: proxy.url, noProxy: '127.0.0.1' }), 'direct');
    await assert.rejects(body({ proxy: 'socks5://u:MARKER@127.0.0.1:1' }), (error) => {
      assert.ok(error instanceof RegistryError);
      assert.equal(error.diagnosis.code, 'RegistryProxyUnsupported');
      assert.ok(!error.message.includes('MARKER'));
      return true;
    });
  } finally {
    await proxy.close();
    await origin.close();
  }
});
