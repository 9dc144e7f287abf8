import { randomUUID } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { pluginServices } from '@tiphys/api';

export interface GitLogin {
  readonly username: string;
  readonly password: string;
}

/** Where Argo CD's credential helper asks if `ARGOCD_ASK_PASS_SOCK` says nothing. */
export const defaultAskPassSocket = '/tmp/reposerver-ask-pass.sock';

/**
 * Answers Argo CD's git credential helper (`argocd-git-ask-pass`), which plugins that want credentials have in their image.
 * They get a word that is good for one call, never the password itself. The socket is made when the first login is lent.
 */
export class AskPass {
  readonly #socket: string;
  readonly #logins = new Map<string, GitLogin>();
  #server: Promise<Http2Server> | undefined;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Variables with which git asks for the login; `take` it back when the call is over. */
  async lend(login: GitLogin): Promise<{ environment: Record<string, string>; take(): void }> {
    this.#server ??= this.#listen();
    await this.#server;
    const nonce = randomUUID();
    this.#logins.set(nonce, login);
    return {
      environment: {
        GIT_ASKPASS: 'argocd',
        ARGOCD_GIT_ASKPASS_NONCE: nonce,
        GIT_TERMINAL_PROMPT: '0',
        ARGOCD_BINARY_NAME: 'argocd-git-ask-pass',
        ARGOCD_ASK_PASS_SOCK: this.#socket,
      },
      take: () => void this.#logins.delete(nonce),
    };
  }

  async close(): Promise<void> {
    const server = await this.#server;
    this.#server = undefined;
    this.#logins.clear();
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of this.#sessions) session.destroy();
    await closed;
    await rm(this.#socket, { force: true });
  }

  async #listen(): Promise<Http2Server> {
    const server = createServer(
      connectNodeAdapter({
        connect: false,
        grpcWeb: false,
        routes: (router) => {
          router.service(pluginServices.askpass, { getCredentials: ({ nonce }) => this.#credentials(nonce) });
        },
      }),
    );
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    await rm(this.#socket, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen(this.#socket, () => resolve());
    await promise;
    server.off('error', reject);
    await chmod(this.#socket, 0o700);
    return server;
  }

  #credentials(nonce: string): GitLogin {
    if (nonce === '') throw new ConnectError('missing nonce', Code.InvalidArgument);
    const login = this.#logins.get(nonce);
    if (!login) throw new ConnectError('unknown nonce', Code.NotFound);
    return { ...login };
  }
}
