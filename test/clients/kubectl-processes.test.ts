import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { findKubectl, skip } from '../kubectl/kubectl.ts';
import { runProgram } from './program.ts';

const serve = `
  const server = require('node:http').createServer((request, response) => response.end('served ' + request.url));
  server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
`;

describe('kubectl on pods that are processes', { skip }, () => {
  let sandbox: Sandbox;
  let kubeconfig: string;
  let port: number;
  before(async () => {
    port = await freePort();
    sandbox = await startSandbox({ runtime: 'process' });
    kubeconfig = sandbox.writeKubeconfig();
    const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    await client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'web',
            image: 'node',
            command: [process.execPath, '-e', serve],
            env: [{ name: 'PORT', value: String(port) }],
            readinessProbe: { httpGet: { port, path: '/ready' }, periodSeconds: 1 },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    } as KubeObject);
    await client.close();
    assert.equal((await kubectl('wait', 'pod/web', '--for=condition=Ready', '--timeout=180s')).code, 0);
  });
  after(() => sandbox?.close());

  const kubectl = (...args: string[]) => runProgram(findKubectl() ?? 'kubectl', ['--kubeconfig', kubeconfig, ...args]);

  for (const websockets of ['true', 'false'])
    test(`exec gives output and exit code with KUBECTL_REMOTE_COMMAND_WEBSOCKETS=${websockets}`, async () => {
      const { code, stdout, stderr } = await runProgram(
        findKubectl() ?? 'kubectl',
        ['--kubeconfig', kubeconfig, 'exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'],
        { env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: websockets } },
      );
      assert.deepEqual([code, stdout], [3, 'out\n']);
      assert.match(stderr, /^err\n/);
    });

  test('cp takes files in and out', async () => {
    const given = join(dirname(kubeconfig), 'given.txt');
    const taken = join(dirname(kubeconfig), 'taken.txt');
    writeFileSync(given, 'content');
    assert.equal((await kubectl('cp', given, 'web:/data/file.txt')).code, 0);
    assert.equal((await kubectl('exec', 'web', '--', 'cat', '/data/file.txt')).stdout, 'content');
    assert.equal((await kubectl('cp', 'web:/data/file.txt', taken)).code, 0);
    assert.equal(readFileSync(taken, 'utf8'), 'content');
  });

  for (const websockets of ['true', 'false'])
    test(`port-forward reaches the process with KUBECTL_PORT_FORWARD_WEBSOCKETS=${websockets}`, async () => {
      const child = spawn(
        findKubectl() ?? 'kubectl',
        ['--kubeconfig', kubeconfig, 'port-forward', 'pod/web', `:${port}`],
        { env: { ...process.env, KUBECTL_PORT_FORWARD_WEBSOCKETS: websockets }, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      try {
        // its output stays open: kubectl dies of writing to a closed one
        const local = await new Promise<string>((resolve) => {
          let printed = '';
          child.stdout.on('data', (chunk: Buffer) => {
            printed += chunk;
            const [, found] = /127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
            if (found) resolve(found);
          });
        });
        const answers = ['/one', '/two'].map(async (path) => (await fetch(`http://127.0.0.1:${local}${path}`)).text());
        assert.deepEqual(await Promise.all(answers), ['served /one', 'served /two']);
      } finally {
        child.kill();
      }
    });

  test('logs has what the process prints', async () => {
    assert.equal((await kubectl('logs', 'web')).stdout, 'listening\n');
  });

  test('attach gives input to the process and shows what it prints', async () => {
    const echo =
      "process.stdin.on('data', (chunk) => process.stdout.write('got ' + chunk)).on('end', () => process.exit())";
    const overrides = {
      spec: {
        containers: [
          { name: 'echo', image: 'node', command: [process.execPath, '-e', echo], stdin: true, stdinOnce: true },
        ],
      },
    };
    const made = await kubectl(
      'run',
      'echo',
      '--image=node',
      '--restart=Never',
      `--overrides=${JSON.stringify(overrides)}`,
    );
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await kubectl('wait', 'pod/echo', '--for=condition=Ready', '--timeout=180s')).code, 0);
    const child = spawn(findKubectl() ?? 'kubectl', ['--kubeconfig', kubeconfig, 'attach', '-i', '-q', 'echo']);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes('got hello')) child.stdin.end();
    });
    child.stdin.write('hello\n');
    await once(child, 'exit');
    assert.equal(printed, 'got hello\n');
    assert.equal(
      (await kubectl('wait', 'pod/echo', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=180s')).code,
      0,
    );
  });

  test('exec with a terminal runs the command, and tells that there is none to give', async () => {
    const { code, stdout, stderr } = await kubectl('exec', '-i', '-t', 'web', '--', 'sh', '-c', 'echo here');
    assert.deepEqual([code, stdout], [0, 'here\n'], stderr);
  });
});
