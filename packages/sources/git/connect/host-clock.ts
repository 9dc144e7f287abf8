import { hostname } from 'node:os';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { clockSkew } from '../repository/diagnoses.ts';
import type { HttpAnswer } from './http-request.ts';

/** A host's `Date` has whole seconds, and an answer takes a while; in milliseconds. */
const tolerated = 5_000;

/** The clock of a host that gives tokens, as far as its answers tell it: requests are written in its time (failure R5). */
export class HostClock {
  readonly #clock: Clock;
  readonly #host: string;
  #skew = 0;

  constructor(clock: Clock, host: string) {
    this.#clock = clock;
    this.#host = host;
  }

  /** How far the host is ahead of us, in milliseconds; 0 if it is not worth speaking of. */
  get skew(): number {
    return this.#skew;
  }

  /** The host's time. */
  now(): number {
    return this.#clock.now() + this.#skew;
  }

  /** Learns from an answer; true if our idea of the host's time was wrong until now. */
  learn(answer: HttpAnswer): boolean {
    const date = Date.parse(answer.headers.date ?? '');
    if (Number.isNaN(date)) return false;
    const before = this.#skew;
    const skew = date - this.#clock.now();
    this.#skew = Math.abs(skew) < tolerated ? 0 : skew;
    return Math.abs(this.#skew - before) >= tolerated;
  }

  /** Which node's clock is wrong, and by how much; undefined if it is not. */
  problem(place: { remote: string }): Diagnosis | undefined {
    if (this.#skew === 0) return undefined;
    const seconds = Math.round(Math.abs(this.#skew) / 1000);
    const node = nodeName();
    return diagnose(clockSkew, {
      message: `The clock of node ${node} is ${seconds} s ${this.#skew > 0 ? 'behind' : 'ahead of'} that of ${this.#host}`,
      place,
      evidence: {
        node,
        seconds,
        'our clock': new Date(this.#clock.now()).toISOString(),
        'their clock': new Date(this.now()).toISOString(),
      },
      remedies: [
        'Correct the time service (NTP) of this node; meanwhile the difference is made good in token requests',
      ],
    });
  }
}

/** The Kubernetes node by the downward API, else this machine or pod. */
function nodeName(): string {
  return process.env.NODE_NAME || process.env.ARGOCD_NODE_NAME || hostname();
}
