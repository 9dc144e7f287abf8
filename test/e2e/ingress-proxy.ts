import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, Informer, type KubeObject, systemClock } from '@tiphys/kubernetes';

interface Slice extends KubeObject {
  endpoints?: { conditions?: { ready?: boolean }; targetRef?: { name?: string } }[];
}

interface IngressObject extends KubeObject {
  spec?: { rules?: { http?: { paths?: { backend?: { service?: { name?: string } } }[] } }[] };
}

interface Pod extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

export interface Answer {
  readonly ok: boolean;
  /** The hash of the pod that answered, or what went wrong. */
  readonly text: string;
}

/**
 * Routes requests as the NGINX controller does, by Ingress, canary Ingress and EndpointSlices, to a real server for each pod. A pod answers
 * while the API server says that it is ready and not about to go; else, and where a Service leads nowhere, the request fails.
 */
export class IngressProxy {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #ingresses: Informer<IngressObject>;
  readonly #slices: Informer<Slice>;
  readonly #servers = new Map<string, Promise<Server>>();
  #state: number;

  constructor(client: Client, { namespace, seed }: { namespace: string; seed: number }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#state = seed;
    const follow = <T extends KubeObject>(apiVersion: string, kind: string) =>
      new Informer<T>(client, { ref: { apiVersion, kind, namespace }, clock: systemClock });
    this.#ingresses = follow('networking.k8s.io/v1', 'Ingress');
    this.#slices = follow('discovery.k8s.io/v1', 'EndpointSlice');
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const informer of [this.#ingresses, this.#slices]) informer.start(signal);
    await Promise.all([this.#ingresses.synced, this.#slices.synced]);
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) (await server).close().closeAllConnections();
  }

  /** One request of a caller. */
  async call(): Promise<Answer> {
    const service = this.#service();
    const pods = [...this.#slices.list()]
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
      .flatMap(({ endpoints }) => endpoints ?? [])
      .flatMap(({ conditions, targetRef }) => (conditions?.ready !== false ? (targetRef?.name ?? []) : []));
    const name = pods[Math.floor(this.#random() * pods.length)];
    if (name === undefined) return { ok: false, text: `503: ${service} leads to no pod` };
    const server = await this.#serverOf(name);
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port, agent: false }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        resolve({ ok: response.statusCode === 200, text: Buffer.concat(parts).toString() });
      });
      asked.on('error', (error) => resolve({ ok: false, text: `502: ${service}: ${error.message}` }));
      asked.end();
    });
  }

  #service(): string {
    const ingresses = [...this.#ingresses.list()];
    const prefix = 'nginx.ingress.kubernetes.io';
    const canary = ingresses.find(({ metadata }) => metadata.annotations?.[`${prefix}/canary`] === 'true');
    const weight = Number(canary?.metadata.annotations?.[`${prefix}/canary-weight`] ?? 0);
    const stable = ingresses.find((each) => each !== canary);
    const chosen = this.#random() * 100 < weight ? canary : stable;
    return chosen?.spec?.rules?.[0]?.http?.paths?.[0]?.backend?.service?.name ?? '';
  }

  #serverOf(name: string): Promise<Server> {
    const known = this.#servers.get(name) ?? this.#listen(name);
    this.#servers.set(name, known);
    return known;
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

  /** Between 0 and 1; the same for the same seed. */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }
}
