import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ServerContext } from '../context/server-context.ts';
import { rpcErrorOf } from '../rpc/rpc-error.ts';
import { tokenCookies } from '../transport/cookies.ts';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { SessionToken } from './session-token.ts';
import { TerminalRefusal } from './terminal-refusal.ts';
import { type TerminalTarget, terminalTarget } from './terminal-request.ts';
import { TerminalSession } from './terminal-session.ts';

/** Largest message of a browser, in bytes: nobody types more at once, and who pastes more does so in parts. */
const maxMessage = 1 << 20;

/** `/terminal`: Argo CD's WebSocket to a shell in a container of an application's pod. */
export class TerminalEndpoint {
  readonly #context: ServerContext;
  readonly #websockets = new WebSocketServer({ noServer: true, maxPayload: maxMessage, perMessageDeflate: false });
  /** Of requests that are being upgraded. */
  readonly #newTokens = new WeakMap<IncomingMessage, string>();

  constructor(context: ServerContext, secureCookies: (request: HttpRequest) => boolean) {
    this.#context = context;
    this.#websockets.on('headers', (headers, request) => {
      const token = this.#newTokens.get(request);
      if (token) headers.push(...tokenCookies(token, secureCookies(request)).map((cookie) => `Set-Cookie: ${cookie}`));
    });
  }

  /** Answers a request that asks for no WebSocket: with the refusal that one would get, or that it is needed. */
  async serve(request: HttpRequest, response: HttpResponse): Promise<void> {
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const admitted = await this.#admit(request, abort.signal);
    refuse(
      response,
      admitted instanceof TerminalRefusal ? admitted : new TerminalRefusal(400, 'A terminal needs a WebSocket'),
    );
  }

  /** Takes over the connection of a request for a WebSocket. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const abort = new AbortController();
    const gone = () => abort.abort();
    socket.once('close', gone);
    socket.on('error', () => socket.destroy());
    const admitted = await this.#admit(request, abort.signal);
    socket.off('close', gone);
    if (socket.destroyed) return;
    if (admitted instanceof TerminalRefusal) {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket as never);
      response.on('finish', () => socket.end());
      return refuse(response, admitted);
    }
    const { token, target } = admitted;
    if (token.renewed) this.#newTokens.set(request, token.renewed);
    this.#websockets.handleUpgrade(request, socket, head, (browser) => {
      const { log } = this.#context;
      const { pod, container, object } = target;
      log('info', 'a terminal was opened', { application: object, user: token.identity.subject, container, pod });
      new TerminalSession(browser, target, token, log)
        .run()
        .finally(() => log('info', 'a terminal was closed', { application: object, user: token.identity.subject, pod }))
        .catch((error: unknown) => log('error', 'a terminal failed', { error: String(error) }));
    });
  }

  async #admit(
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<{ token: SessionToken; target: TerminalTarget } | TerminalRefusal> {
    try {
      const token = await SessionToken.of(this.#context, request);
      return { token, target: await terminalTarget(this.#context, request, token, signal) };
    } catch (error) {
      if (error instanceof TerminalRefusal) return error;
      return new TerminalRefusal(500, rpcErrorOf(error).message);
    }
  }
}

function refuse(response: HttpResponse, { status, message }: TerminalRefusal): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${message}\n`);
}
