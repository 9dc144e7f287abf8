import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { connect, isExpired, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from './sandbox.ts';

const caller = { component: 'test', purpose: 'test' };
const settings = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});

/** Runs a sandbox in another process and creates ConfigMaps until that is killed; answers with the names of those that were acknowledged. */
async function writeAndKill(dataDir: string, prefix: string, count: number): Promise<string[]> {
  const program = `
    const { startSandbox } = await import(${JSON.stringify(new URL('./sandbox.ts', import.meta.url).href)});
    console.log(JSON.stringify((await startSandbox({ dataDir: ${JSON.stringify(dataDir)} })).config));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const client = connect(JSON.parse(value as string), { caller });
  const acknowledged: string[] = [];
  let next = 0;
  const write = async () => {
    while (child.exitCode === null && child.signalCode === null) {
      const name = `${prefix}-${next++}`;
      await client.create(settings(name));
      acknowledged.push(name);
      if (acknowledged.length === count) child.kill('SIGKILL');
    }
  };
  try {
    await Promise.allSettled(Array.from({ length: 8 }, write));
  } finally {
    child.kill('SIGKILL');
    await client.close();
  }
  assert.ok(acknowledged.length >= count);
  return acknowledged;
}

describe('A sandbox', () => {
  test('ends where its block ends', async () => {
    let url = '';
    {
      await using sandbox = await startSandbox({ controllers: false, nodes: 0 });
      url = sandbox.url;
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
    }
    await assert.rejects(fetch(`${url}/readyz`));
  });

  test('has every write that it acknowledged before it was killed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    try {
      const acknowledged: string[] = [];
      for (const [round, count] of [40, 120].entries())
        acknowledged.push(...(await writeAndKill(dataDir, `round-${round}`, count)));
      await using sandbox = await startSandbox({ dataDir, controllers: false, nodes: 0 });
      const client = connect(sandbox.config, { caller });
      const { items } = await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
      const there = new Set(items.map(({ metadata }) => metadata.name));
      assert.deepEqual(
        acknowledged.filter((name) => !there.has(name)),
        [],
      );
      await client.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test('goes on with a watch from before it was started again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    try {
      let resourceVersion = '';
      {
        await using sandbox = await startSandbox({ dataDir, controllers: false, nodes: 0 });
        const client = connect(sandbox.config, { caller });
        resourceVersion = (await client.create(settings('first'))).metadata.resourceVersion ?? '';
        await client.create(settings('second'));
        await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'first' });
        await client.close();
      }
      await using sandbox = await startSandbox({ dataDir, controllers: false, nodes: 0 });
      const client = connect(sandbox.config, { caller });
      const seen: string[] = [];
      const options = { resourceVersion, signal: AbortSignal.timeout(120_000) };
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
      for await (const { type, object } of client.watch(ref, options)) {
        if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata.name}`);
        if (seen.length === 2) break;
      }
      assert.deepEqual(seen, ['ADDED second', 'DELETED first']);
      await client.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test('fails as it is told to, and only so often', async () => {
    await using sandbox = await startSandbox({ controllers: false, nodes: 0 });
    const call = (path: string, method = 'GET', body?: object) =>
      fetch(`${sandbox.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${sandbox.config.bearerToken}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const path = '/api/v1/namespaces/default/configmaps';
    sandbox.faults.inject({
      path: '/configmaps',
      method: 'POST',
      times: 1,
      status: 429,
      reason: 'TooManyRequests',
      retryAfter: 3,
    });
    const refused = await call(path, 'POST', settings('one'));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3']);
    assert.equal((await call(path, 'POST', settings('one'))).status, 201);
    const end = sandbox.faults.inject({ path, method: 'POST', disconnect: 'after' });
    await assert.rejects(call(path, 'POST', settings('two')));
    end();
    assert.equal((await call(`${path}/two`)).status, 200, 'the write took effect, and its answer was lost');
    sandbox.faults.inject({ path, disconnect: 'before', times: 1 });
    await assert.rejects(call(path, 'POST', settings('three')));
    assert.equal((await call(`${path}/three`)).status, 404);
  });

  test('answers watches of compacted versions with 410', async () => {
    await using sandbox = await startSandbox({ controllers: false, nodes: 0 });
    const client = connect(sandbox.config, { caller });
    const { metadata } = await client.create(settings('old'));
    await client.create(settings('new'));
    sandbox.compact();
    const watching = async () => {
      const options = { resourceVersion: metadata.resourceVersion ?? '', signal: AbortSignal.timeout(120_000) };
      for await (const { type } of client.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, options))
        assert.equal(type, 'BOOKMARK');
    };
    await assert.rejects(watching, isExpired);
    await client.close();
  });
});
