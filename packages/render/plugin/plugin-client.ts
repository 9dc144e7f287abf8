import { connect as connectSocket } from 'node:net';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { pluginServices } from '@tiphys/api';
import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { guardedSessions } from '@tiphys/outbound';
import { type AppMetadata, appStream, type PackedFiles } from './app-stream.ts';
import { pluginFailed, pluginTimeout } from './diagnoses.ts';
import type { ParameterAnnouncement } from './plugin-config.ts';

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

const base = 'http://plugin';
const maxMessage = 100 * 1024 * 1024;

/** One plugin, reached over its socket. Every call throws a diagnosis that names it. */
export class PluginClient implements Disposable {
  readonly name: string;
  readonly #socket: string;
  readonly #sessions: Http2SessionManager;
  readonly #client: Client<typeof pluginServices.plugin>;

  constructor(name: string, socket: string) {
    this.name = name;
    this.#socket = socket;
    this.#sessions = guardedSessions(
      new Http2SessionManager(base, {}, { createConnection: () => connectSocket(socket) }),
    );
    const transport = createGrpcTransport({
      baseUrl: base,
      sessionManager: this.#sessions,
      readMaxBytes: maxMessage,
      writeMaxBytes: maxMessage,
    });
    this.#client = createClient(pluginServices.plugin, transport);
  }

  [Symbol.dispose](): void {
    this.#sessions.abort();
  }

  async check(options: CallOptions): Promise<{ isDiscoveryConfigured: boolean; provideGitCreds: boolean }> {
    return this.#call('error checking plugin configuration', options, () =>
      this.#client.checkPluginConfiguration({}, callOptions(options)),
    );
  }

  async matches(
    metadata: AppMetadata,
    files: PackedFiles,
    options: CallOptions,
  ): Promise<{ isSupported: boolean; isDiscoveryEnabled: boolean }> {
    return this.#call('error checking repository support', options, () =>
      this.#client.matchRepository(appStream(metadata, files), callOptions(options)),
    );
  }

  /** Texts of YAML or JSON, each with one document or several. */
  async generate(metadata: AppMetadata, files: PackedFiles, options: CallOptions): Promise<string[]> {
    const { manifests } = await this.#call('error generating manifests in cmp', options, () =>
      this.#client.generateManifest(appStream(metadata, files), callOptions(options)),
    );
    return manifests;
  }

  async announce(metadata: AppMetadata, files: PackedFiles, options: CallOptions): Promise<ParameterAnnouncement[]> {
    const { parameterAnnouncements } = await this.#call('failed to get parameter announcement', options, () =>
      this.#client.getParametersAnnouncement(appStream(metadata, files), callOptions(options)),
    );
    return parameterAnnouncements;
  }

  async #call<T>(what: string, { timeout, signal }: CallOptions, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DiagnosisError) throw error;
      const { code, rawMessage } = ConnectError.from(error);
      const place = { file: this.#socket };
      if (code === Code.DeadlineExceeded) {
        throw failure(
          pluginTimeout,
          {
            message: `${what}: the plugin ${this.name} did not answer within ${timeout / 1000} s: ${rawMessage}`,
            place,
            remedies: [
              'Make its commands faster',
              {
                text: 'Or raise the limit in the ConfigMap argocd-cmd-params-cm',
                paste: `controller.repo.server.timeout.seconds: "${Math.ceil((2 * timeout) / 1000)}"`,
              },
            ],
          },
          { handling: 'retryable', cause: error },
        );
      }
      const away = code === Code.Unavailable;
      throw failure(
        pluginFailed,
        {
          message: `${what}: plugin ${this.name}: ${rawMessage}`,
          place,
          remedies: [away ? 'Look whether its sidecar is running' : 'Correct what the plugin complains of'],
        },
        // Even what the plugin itself complains of may be about something that it fetched.
        { handling: 'retryable', cause: error },
      );
    }
  }
}

/** Whether nobody listens on the socket of a plugin any more. */
export function isAway(error: unknown): boolean {
  const cause = error instanceof DiagnosisError ? error.cause : error;
  return ConnectError.from(cause).code === Code.Unavailable;
}

function callOptions({ timeout, signal }: CallOptions) {
  return { timeoutMs: timeout, ...(signal ? { signal } : {}) };
}
