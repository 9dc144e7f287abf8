import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | object;
}

/** A real HTTP server that notes what it is told and answers as a test wants. */
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  readonly #close: () => Promise<void>;
  #reply: (request: Received) => Reply | Promise<Reply> = () => ({});

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(): Promise<Receiver> {
    let receiver: Receiver | undefined;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void receiver
          ?.answer(request, Buffer.concat(chunks).toString())
          .then(({ status = 200, headers = {}, body = '' }) => {
            response.writeHead(status, headers);
            response.end(typeof body === 'string' ? body : JSON.stringify(body));
          });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return receiver;
  }

  answers(reply: (request: Received) => Reply | Promise<Reply>): void {
    this.#reply = reply;
  }

  async answer({ method = '', url = '', headers }: IncomingMessage, body: string): Promise<Reply> {
    const request = { method, path: url, headers, body };
    this.received.push(request);
    return await this.#reply(request);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
