import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { GoProgram } from './go-program.ts';
import { runProgram } from './program.ts';
import { servers } from './servers.ts';

const program = new GoProgram('go');

const steps = [
  'informers',
  'conflict',
  'apply',
  'custom resources',
  'metadata',
  'leader election',
  'pages',
  'resync',
  'watch list',
  'custom applies',
];

describe('client-go', { skip: program.skip, timeout: 600_000 }, () => {
  before(() => program.build());

  for (const [name, start] of Object.entries(servers))
    for (const watchList of ['false', 'true'])
      test(`all steps work on ${name}, with informers that list by watching: ${watchList}`, async () => {
        const server = await start();
        const client = connect(server.config, { caller: { component: 'test', purpose: 'test' } });
        const namespace = `client-go-${watchList}-${process.pid}`;
        try {
          await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
          const { code, stdout, stderr } = await runProgram(program.file, [server.file, namespace], {
            env: { KUBE_FEATURE_WatchListClient: watchList },
          });
          assert.deepEqual({ code, done: stdout.trim().split('\n') }, { code: 0, done: steps }, stderr);
        } finally {
          await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
          await client.close();
          await server.close();
        }
      });

  test('commands run in pods that are processes, by SPDY and WebSockets', async () => {
    await using sandbox = await startSandbox({ runtime: 'process' });
    const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    const spec = { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }] };
    await client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec });
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default' };
    for await (const { object } of client.watch<KubeObject & { status?: { phase?: string } }>(ref, {
      resourceVersion: '0',
      signal: AbortSignal.timeout(180_000),
    }))
      if ('status' in object && object.status?.phase === 'Running') break;
    const { stdout, stderr } = await runProgram(program.file, [sandbox.writeKubeconfig(), 'default', 'exec']);
    assert.equal(stdout, 'exec\n', stderr);
    await client.close();
  });
});
