import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import type { FamilyContext } from './families.ts';
import { startWorkflowServerFamily } from './workflow-server-family.ts';

test("Argo Workflows' API wants a token of the cluster, on a laptop too", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-workflow-server-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const { config } = sandbox;
  const client = connect(config, { caller: { component: 'test', purpose: 'workflow server' } });
  t.after(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  const context = {
    ...{ client, config, sandbox: true, alone: true, host: '127.0.0.1', namespace: 'argocd' },
    ...{ scratch: folder, clock: systemClock, log: () => undefined, env: { ARGO_PORT: '0' } },
  };
  const server = await startWorkflowServerFamily(context as unknown as FamilyContext);
  t.after(() => server.close());
  const { url } = server as unknown as { url: string };
  const ask = async (method: string, path: string, token?: string) =>
    (
      await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token ? { authorization: token } : {}) },
        ...(method === 'GET' ? {} : { body: '{}' }),
      })
    ).status;
  for (const token of [undefined, 'Bearer x', 'Bearer v2:x', 'Basic eDp5'])
    for (const [method, path] of [
      ['GET', '/api/v1/workflows/'],
      ['POST', '/api/v1/workflows/default'],
      ['POST', '/api/v1/workflows/default/submit'],
      ['GET', '/api/v1/archived-workflows'],
    ] as const)
      assert.equal(await ask(method, path, token), 401, `${method} ${path} with ${token}`);
  assert.equal(await ask('GET', '/api/v1/info', `Bearer ${config.bearerToken}`), 200);
});
