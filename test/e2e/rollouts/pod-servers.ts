import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client, KubeObject } from '@tiphys/kubernetes';

interface Pod extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

/**
 * A real server for each pod. It answers with the hash of the pod while the API server says that the pod is ready and not about to go;
 * else the request fails.
 */
export class PodServers {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #servers = new Map<string, Promise<Server>>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async portOf(name: string): Promise<number> {
    const known = this.#servers.get(name) ?? this.#listen(name);
    this.#servers.set(name, known);
    return ((await known).address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) (await server).close().closeAllConnections();
  }

  #listen(name: string): Promise<Server> {
    const server = createServer(async (_, response) => {
      const pod = await this.#client.find<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace: this.#namespace, name });
      const isReady = pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      const serves = isReady && !pod?.metadata.deletionTimestamp;
      if (serves) response.end(pod?.metadata.labels?.['rollouts-pod-template-hash']);
      else response.writeHead(502).end(`502: pod ${name} ${pod ? 'is not ready or about to go' : 'is gone'}`);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }
}
