import { type AddressInfo, createServer as createPlain, connect as dial, type Server, type Socket } from 'node:net';
import { createServer as createSecure, connect as dialSecurely } from 'node:tls';
import type { Stage } from './fault.ts';

interface Registered {
  readonly server: string;
  readonly config: object;
}

const bytes = ({ server, config }: Registered) => ({ server, config: JSON.stringify(config) });

/** Registers a cluster by the name of the stage, and deploys to it. */
export async function register(stage: Stage, registered: Registered): Promise<void> {
  const { world, name } = stage;
  await stage.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `cluster-${name}`,
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: { name, ...bytes(registered) },
  });
  await stage.patch({ destination: { server: null, name } });
}

/** Corrects what is registered. */
export const reregister = ({ world, name }: Stage, registered: Registered) =>
  world.client.patch(
    { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: `cluster-${name}` },
    'merge',
    { stringData: bytes(registered) },
  );

/** A config with which the sandbox lets one in; `more` is laid over it. */
export function goodConfig({ world }: Stage, more: object = {}): object {
  const { tls, bearerToken } = world.cluster.config;
  return {
    bearerToken,
    // the sandbox speaks no TLS
    tlsClientConfig: { insecure: false, ...(tls?.ca ? { caData: Buffer.from(tls.ca).toString('base64') } : {}) },
    ...more,
  };
}

/** Another address of the sandbox: what arrives there goes on to it. */
export async function addressOf(
  { world }: Stage,
  { port = 0, secure }: { port?: number; secure?: { cert: string; key: string } } = {},
): Promise<string> {
  const { server: target, tls } = world.cluster.config;
  const { hostname: host, port: behind, protocol } = new URL(target);
  const forward = (socket: Socket): void => {
    const to = { host, port: Number(behind) };
    // what ends TLS here begins it anew, where the API server speaks it
    const next = secure && protocol === 'https:' ? dialSecurely({ ...to, ca: tls?.ca }) : dial(to);
    for (const end of [socket, next]) end.on('error', () => void [socket, next].map((each) => each.destroy()));
    socket.pipe(next).pipe(socket);
  };
  const server: Server = secure ? createSecure(secure, forward) : createPlain(forward);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.unref();
  return `${secure ? 'https:' : protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`;
}
