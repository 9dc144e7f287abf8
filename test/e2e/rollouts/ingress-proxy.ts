import { request } from 'node:http';
import type { Client } from '@tiphys/kubernetes';
import { type Answer, IngressState, type RequestProxy } from './ingress-state.ts';
import { PodServers } from './pod-servers.ts';

/** Routes requests as the NGINX controller does, to a real server for each pod, and where a Service leads nowhere a request fails. */
export class IngressProxy implements RequestProxy {
  readonly #state: IngressState;
  readonly #pods: PodServers;
  #seed: number;

  constructor(client: Client, { namespace, seed }: { namespace: string; seed: number }) {
    this.#state = new IngressState(client, namespace);
    this.#pods = new PodServers(client, namespace);
    this.#seed = seed;
  }

  start(signal: AbortSignal): Promise<void> {
    return this.#state.start(signal);
  }

  close(): Promise<void> {
    return this.#pods.close();
  }

  async call(): Promise<Answer> {
    const { stable, canary, weight } = this.#state.routes();
    const service = this.#random() * 100 < weight ? (canary ?? '') : stable;
    const pods = this.#state.podsOf(service);
    const name = pods[Math.floor(this.#random() * pods.length)];
    if (name === undefined) return { ok: false, text: `503: ${service} leads to no pod` };
    const port = await this.#pods.portOf(name);
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

  /** Between 0 and 1; the same for the same seed. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}
