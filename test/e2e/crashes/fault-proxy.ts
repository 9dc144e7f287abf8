import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What the way to the API server does to requests, until it is told otherwise. */
export type Fault = 'none' | 'expired' | 'dropped' | 'throttled' | 'failing' | 'slow' | 'lost' | 'cut';

export const faults: readonly Fault[] = ['none', 'expired', 'dropped', 'throttled', 'failing', 'slow', 'lost', 'cut'];

const status = (code: number, reason: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    metadata: {},
    code,
    reason,
    message: `injected: ${reason}`,
  });

/**
 * Stands before an API server that speaks HTTP in the clear, and does to a part of the requests what its fault says:
 * - `expired`: watches end with 410, and so do pages of lists. `dropped`: watches break at any moment.
 * - `throttled`: 429 with Retry-After. `failing`: 500 and 503. `slow`: answers come late.
 * - `lost`: a write is done and its answer is lost. `cut`: nothing gets through, as in a partition.
 */
export class FaultProxy {
  fault: Fault = 'none';
  /** What was done, by its name. */
  readonly done = new Map<Fault, number>();
  readonly #target: URL;
  readonly #random: () => number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waits: { left: number; readonly done: () => void }[] = [];

  constructor(target: string, random: () => number) {
    this.#target = new URL(target);
    this.#random = random;
    this.#server = createServer((incoming, answer) => this.#serve(incoming, answer));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (this.fault !== 'cut') return;
      this.#ask();
      socket.destroy();
    });
  }

  /** Resolves after so many more requests, or connections while nothing gets through. */
  asked(count: number): Promise<void> {
    return new Promise((done) => this.#waits.push({ left: count, done }));
  }

  #ask(): void {
    for (const wait of this.#waits) {
      wait.left -= 1;
      if (wait.left === 0) wait.done();
    }
    this.#waits = this.#waits.filter(({ left }) => left > 0);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on; a partition also ends what is open. */
  inject(fault: Fault): void {
    this.fault = fault;
    if (fault === 'cut') for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(incoming: IncomingMessage, answer: ServerResponse): unknown {
    this.#ask();
    const isWatch = /[?&]watch=(?:true|1)/.test(incoming.url ?? '');
    const isPage = /[?&]continue=/.test(incoming.url ?? '');
    const isWrite = !['GET', 'HEAD'].includes(incoming.method ?? '');
    const hits = this.#random() < 0.4;
    const refuse = (code: number, reason: string, headers = {}) => {
      this.#note();
      incoming.resume();
      answer.writeHead(code, { 'content-type': 'application/json', ...headers }).end(status(code, reason));
    };
    if (this.fault === 'cut') return incoming.socket.destroy();
    if (hits && this.fault === 'throttled') return refuse(429, 'TooManyRequests', { 'retry-after': '1' });
    if (hits && this.fault === 'failing') return refuse(this.#random() < 0.5 ? 500 : 503, 'InternalError');
    if (hits && this.fault === 'expired' && (isWatch || isPage)) return refuse(410, 'Expired');
    if (hits && this.fault === 'slow') {
      this.#note();
      return setTimeout(() => this.#pass(incoming, answer, { drops: false, loses: false }), this.#random() * 2_000);
    }
    return this.#pass(incoming, answer, {
      drops: hits && this.fault === 'dropped' && isWatch,
      loses: hits && this.fault === 'lost' && isWrite,
    });
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse, { drops, loses }: { drops: boolean; loses: boolean }): void {
    const { hostname, port } = this.#target;
    const { method, url, headers } = incoming;
    const onward = request({ host: hostname, port, method, path: url, headers }, (response) => {
      if (loses) {
        this.#note();
        response.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      if (!drops) return;
      this.#note();
      setTimeout(() => incoming.socket.destroy(), this.#random() * 500).unref();
    });
    onward.on('error', () => incoming.socket.destroy());
    answer.once('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  #note(): void {
    this.done.set(this.fault, (this.done.get(this.fault) ?? 0) + 1);
  }
}
