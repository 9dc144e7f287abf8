import assert from 'node:assert/strict';
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

/** A way to the cluster that can be cut and mended. */
class Line {
  readonly #target: URL;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async mend(): Promise<void> {
    const server = createServer((socket) => {
      const port = Number(this.#target.port || (this.#target.protocol === 'https:' ? 443 : 80));
      const onward = connectTcp(port, this.#target.hostname.replace(/^\[|\]$/g, ''));
      for (const end of [socket, onward]) {
        this.#open.add(end);
        end.on('error', () => end.destroy());
        end.on('close', () => this.#open.delete(end));
      }
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.port = (server.address() as { port: number }).port;
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
  }
}

test('a cluster that is lost during a sync is told, and the sync goes on when it is back', async (t) => {
  const { config } = world.cluster;
  const line = new Line(config.server);
  await line.mend();
  t.after(() => line.cut());
  const server = `${new URL(config.server).protocol}//127.0.0.1:${line.port}`;
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const { tls = {} } = config;
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'distant',
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: {
      name: 'distant',
      server,
      config: JSON.stringify({
        ...(config.bearerToken ? { bearerToken: config.bearerToken } : {}),
        tlsClientConfig: {
          insecure: true,
          ...(tls.cert ? { certData: encode(tls.cert) } : {}),
          ...(tls.key ? { keyData: encode(tls.key) } : {}),
        },
      }),
    },
  });
  const namespace = await world.targetNamespace();
  // the first wave waits for an object that only we can make healthy
  const wave = (value: string) => ({ 'argocd.argoproj.io/sync-wave': value });
  const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: gate, annotations: ${JSON.stringify(wave('0'))}}
spec: {accessModes: [ReadWriteOnce], storageClassName: never, resources: {requests: {storage: 1Mi}}}
`;
  const repository = world.repository({ 'a.yaml': claim, 'b.yaml': configMap('behind', 'one', wave('1')) });
  await world.createApplication('distant', repository, {
    targetNamespace: namespace,
    destination: { name: 'distant', namespace },
    syncPolicy: { automated: {} },
  });
  await world.waitForApplication('distant', 'waiting for the first wave', ({ status }) =>
    Boolean(status?.operationState?.phase === 'Running' && status.operationState.syncResult?.resources?.length),
  );

  line.cut();
  const lost = await world.waitForApplication('distant', 'a condition that tells of the loss', ({ status }) =>
    Boolean(status?.conditions?.some(({ message = '' }) => message.includes(`127.0.0.1:${line.port}`))),
  );
  assert.equal(lost.status?.operationState?.phase, 'Running', 'the sync is not given up');
  const path = `/api/v1/clusters/${encodeURIComponent(server)}`;
  const { body } = await world.rest<{ connectionState: { status: string; message: string } }>('GET', path);
  assert.equal(body.connectionState.status, 'Failed');
  assert.match(body.connectionState.message, new RegExp(`127.0.0.1:${line.port}`));

  await world.client.patch({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'gate' }, 'merge', {
    metadata: { labels: { seen: 'no' } },
  });
  await world.client.patch(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'gate' },
    'merge',
    { status: { phase: 'Bound' } },
    { subresource: 'status' },
  );
  await line.mend();
  const done = await world.waitForApplication(
    'distant',
    'synced after the return',
    ({ status }) => status?.operationState?.phase === 'Succeeded' && status.sync?.status === 'Synced',
  );
  assert.deepEqual(
    (done.status?.conditions ?? []).filter(({ type }) => type.endsWith('Error')),
    [],
  );
  const after = await world.rest<{ connectionState: { status: string }; info: { applicationsCount: string } }>(
    'GET',
    path,
  );
  assert.equal(after.body.connectionState.status, 'Successful');
  assert.equal(Number(after.body.info.applicationsCount), 1);
});
