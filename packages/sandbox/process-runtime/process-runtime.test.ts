import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@tiphys/kube-controllers';
import { type Client, connect } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { WebSocket } from 'ws';
import { eventually } from '../kube-controllers/testing/eventually.ts';

const caller = { component: 'test', purpose: 'test' };

function pod(name: string, command: string[], more: object = {}, container: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'local', command, ...container }], ...more },
  };
}

const alive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** There is nothing to watch for the end of a process that is nobody's child. */
async function untilDead(pid: number): Promise<void> {
  for (const end = Date.now() + 120_000; alive(pid) && Date.now() < end; )
    await new Promise((next) => setTimeout(next, 20));
  assert.ok(!alive(pid), `process ${pid} is alive`);
}

describe('The process runtime', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  let sandbox: Sandbox;
  let client: Client;
  before(async () => {
    sandbox = await startSandbox({ runtime: 'process' });
    client = connect(sandbox.config, { caller });
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  const ended = async (name: string) =>
    (await eventually<Pod>(client, 'v1', 'Pod', name, (it) => /Succeeded|Failed/.test(it?.status?.phase ?? ''))).status;
  const running = async (name: string) => {
    await eventually<Pod>(client, 'v1', 'Pod', name, (it) => it?.status?.phase === 'Running');
  };
  const logs = async (name: string) => {
    let text = '';
    for await (const chunk of client.logs({ namespace: 'default', name }, { follow: true })) text += Buffer.from(chunk);
    return text;
  };

  test('leaves paths of this machine alone, also below one that the container mounts', async () => {
    const tell = ['sh', '-c', 'cd "$CONTAINER_ROOT" && pwd'];
    await client.create(pod('where', tell, { restartPolicy: 'Never' }));
    await ended('where');
    const [, top = ''] = (await logs('where')).split('/');
    const mounts = { volumeMounts: [{ name: 'top', mountPath: `/${top}` }] };
    await client.create(
      pod('mounted', tell, { restartPolicy: 'Never', volumes: [{ name: 'top', emptyDir: {} }] }, mounts),
    );
    assert.equal((await ended('mounted'))?.phase, 'Succeeded');
    const root = (await logs('mounted')).trim();
    assert.ok(existsSync(root), root);
    assert.equal(root.split(`/${top}/`).length, 2, root);
  });

  test('gives a command its variables and files, and keeps what it prints', async () => {
    await client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
      data: { 'app.txt': 'from a file', COLOUR: 'blue' },
    });
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'secret', namespace: 'default' },
      stringData: { password: 'hidden' },
    });
    const script =
      'cat /etc/app/app.txt; echo; cat /etc/pod/labels; echo; cat $SECRET_FILE; echo; echo $COLOUR $NAME $(NAME) >&2; echo $LIMIT';
    await client.create(
      pod(
        'files',
        ['sh', '-c', script],
        {
          restartPolicy: 'Never',
          volumes: [
            { name: 'settings', configMap: { name: 'settings' } },
            {
              name: 'all',
              projected: {
                sources: [
                  { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
                  { secret: { name: 'secret', items: [{ key: 'password', path: 'keys/password' }] } },
                ],
              },
            },
          ],
        },
        {
          envFrom: [{ configMapRef: { name: 'settings' } }],
          env: [
            { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
            { name: 'SECRET_FILE', value: '/etc/pod/keys/password' },
          ],
          resources: { limits: { memory: '64Mi' } },
          volumeMounts: [
            { name: 'settings', mountPath: '/etc/app' },
            { name: 'all', mountPath: '/etc/pod' },
          ],
        },
      ),
    );
    assert.equal((await ended('files'))?.phase, 'Succeeded');
    const printed = (await logs('files')).split('\n').sort();
    assert.deepEqual(printed, ['', '64', 'app="files"', 'blue files files', 'from a file', 'hidden']);
  });

  test('tells the exit code, and what keeps a command from starting', async () => {
    await client.create(pod('fails', ['sh', '-c', 'exit 7'], { restartPolicy: 'Never' }));
    await client.create(pod('absent', ['no-such-program-here'], { restartPolicy: 'Never' }));
    const state = async (name: string) => (await ended(name))?.containerStatuses?.[0]?.state.terminated;
    assert.equal((await state('fails'))?.exitCode, 7);
    const { exitCode, reason, message } = (await state('absent')) ?? {};
    assert.deepEqual([exitCode, reason], [128, 'StartError']);
    assert.match(message ?? '', /exec: "no-such-program-here": executable file not found in \$PATH/);
  });

  test('asks a pod to end, and kills what it has started when the grace is over', async () => {
    const script = 'trap "" TERM; sleep 1000 & echo $$ $!; wait; sleep 1000';
    await client.create(pod('stubborn', ['sh', '-c', script], { terminationGracePeriodSeconds: 1 }));
    await running('stubborn');
    let pids: number[] = [];
    for await (const chunk of client.logs({ namespace: 'default', name: 'stubborn' }, { follow: true })) {
      pids = Buffer.from(chunk).toString().trim().split(' ').map(Number);
      break;
    }
    assert.equal(pids.length, 2);
    await client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'stubborn' });
    await eventually(client, 'v1', 'Pod', 'stubborn', (it) => it === undefined);
    for (const pid of pids) await untilDead(pid);
  });

  test('serves exec over WebSockets, with streams apart and the exit code', async () => {
    await client.create(pod('shell', ['sleep', '1000']));
    await running('shell');
    const words = ['sh', '-c', 'read line; echo out $line; echo err >&2; exit 3'];
    const query = ['stdin=1', 'stdout=1', 'stderr=1', ...words.map((word) => `command=${encodeURIComponent(word)}`)];
    const url = `${sandbox.url.replace('http', 'ws')}/api/v1/namespaces/default/pods/shell/exec?${query.join('&')}`;
    const socket = new WebSocket(url, ['v5.channel.k8s.io'], {
      headers: { authorization: `Bearer ${sandbox.config.bearerToken}` },
    });
    const channels = ['', '', '', ''];
    socket.on('open', () => socket.send(Buffer.from('\0in\n')));
    socket.on('message', (data: Buffer) => {
      channels[data[0] ?? 0] += data.subarray(1).toString();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    assert.deepEqual(channels.slice(1, 3), ['out in\n', 'err\n']);
    assert.deepEqual(JSON.parse(channels[3] ?? '').details, { causes: [{ reason: 'ExitCode', message: '3' }] });
  });

  test('restarts what its liveness probe finds dead', async () => {
    const livenessProbe = {
      exec: { command: ['test', '!', '-e', '/state/dead'] },
      periodSeconds: 1,
      failureThreshold: 1,
    };
    const volumes = [{ name: 'state', emptyDir: {} }];
    const volumeMounts = [{ name: 'state', mountPath: '/state' }];
    const command = ['sh', '-c', '[ -e /state/dead ] && rm /state/dead || touch /state/dead; exec sleep 1000'];
    await client.create(pod('ill', command, { volumes }, { livenessProbe, volumeMounts }));
    const again = await eventually<Pod>(
      client,
      'v1',
      'Pod',
      'ill',
      (it) => it?.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.equal(again.status?.containerStatuses?.[0]?.lastState.terminated?.exitCode, 143);
  });

  test('leaves no process behind when the sandbox is killed', async () => {
    const program = `
      const { startSandbox } = await import(${JSON.stringify(new URL('../sandbox/sandbox.ts', import.meta.url).href)});
      const { url, config } = await startSandbox({ runtime: 'process' });
      console.log(JSON.stringify(config));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const other = connect(JSON.parse(value as string), { caller });
    try {
      await other.create(pod('survivor', ['sh', '-c', 'sleep 1000 & echo $!; wait']));
      await eventually<Pod>(other, 'v1', 'Pod', 'survivor', (it) => it?.status?.phase === 'Running');
      let pid = 0;
      for await (const chunk of other.logs({ namespace: 'default', name: 'survivor' }, { follow: true })) {
        pid = Number(Buffer.from(chunk).toString());
        break;
      }
      assert.ok(alive(pid), `${pid} runs`);
      child.kill('SIGKILL');
      await untilDead(pid);
    } finally {
      child.kill('SIGKILL');
      await other.close();
    }
  });
});
