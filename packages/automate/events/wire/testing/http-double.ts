import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a double was sent. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A system that is called over HTTP: it keeps what it was asked, and answers as the test says. */
export class HttpDouble {
  readonly asked: Asked[] = [];
  readonly #server: Server;

  /** An answer's body that is no text is sent as JSON. */
  constructor(answer: (asked: Asked) => Answer | undefined) {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      this.asked.push(asked);
      const { status = 200, body = '', headers = {} } = answer(asked) ?? { status: 404 };
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  /** Its address, without a slash at the end. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was asked, as `METHOD PATH`. */
  get calls(): string[] {
    return this.asked.map(({ method, path }) => `${method} ${path}`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
