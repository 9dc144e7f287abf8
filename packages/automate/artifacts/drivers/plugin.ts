import { closeSync, openSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { type ArtifactServices, loadArtifactServices } from '@tiphys/api';
import { pause, systemClock } from '@tiphys/kubernetes';
import { guardedSessions } from '@tiphys/outbound';
import { answered, broken, invalid, missing, unsupported } from '../model/failures.ts';
import { needed, type Settings, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { below } from '../wire/paths.ts';

type Service = Client<ArtifactServices['artifact']>;

/** Seconds that the socket of a plugin may take to be there; upstream's number. */
const mostWait = 120;
/** Bytes of a path that every system takes for a socket. */
const longestPath = 100;
const base = 'http://plugin';
/** Of one message: pieces of a stream and lists of names are smaller. */
const readMaxBytes = 16 << 20;

/** Plugins tell in words that nothing is there; a host that is not found is no such thing. */
function codeOf(message: string): Code {
  return /not found|no such (?!host)/i.test(message) && !/host not found/i.test(message) ? Code.NotFound : Code.Unknown;
}

/** What a plugin keeps, reached over its socket. The plugin reads and writes paths itself, which are those of its own container too. */
export class PluginStore implements ArtifactStore {
  readonly kind = 'plugin';
  readonly #settings: Settings;
  readonly #access: ArtifactAccess;
  readonly #name: string;
  readonly #socket: string;
  readonly #key: string;
  #folder: number | undefined;
  readonly #sessions: Http2SessionManager;
  #service: Promise<Service> | undefined;

  constructor(settings: Settings, access: ArtifactAccess) {
    this.#settings = settings;
    this.#access = access;
    this.#name = needed('plugin', settings, 'name');
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(this.#name))
      throw invalid('plugin.name', 'The name of the plugin is none', 'Name a plugin of artifactDrivers');
    this.#key = text(settings, 'key');
    this.#socket = access.pluginSocket?.(this.#name) ?? `/tmp/artifact-plugins/${this.#name}/socket`;
    this.#sessions = guardedSessions(
      new Http2SessionManager(base, {}, { createConnection: () => connectSocket(this.#reachable()) }),
    );
  }

  async read(file?: string): Promise<Readable> {
    const frames = (await this.#client()).openStream({ artifact: this.#artifact(file) }, this.#options());
    const failed = (error: unknown) => this.#failed(error);
    async function* content() {
      try {
        for await (const { data, isEnd, error } of frames) {
          if (error) throw new ConnectError(error, codeOf(error));
          if (data.length > 0) yield Buffer.from(data);
          if (isEnd) return;
        }
      } catch (error) {
        throw failed(error);
      }
    }
    // the first frame tells whether there is anything
    const pieces = content()[Symbol.asyncIterator]();
    const first = await pieces.next();
    return Readable.from(
      (async function* () {
        if (!first.done) yield first.value;
        yield* { [Symbol.asyncIterator]: () => pieces };
      })(),
    );
  }

  async write(content: Readable, { file }: WriteOptions = {}): Promise<void> {
    const { supportsSaveStream } = await this.#call((client, options) => client.getCapabilities({}, options)).catch(
      () => ({
        supportsSaveStream: false,
      }),
    );
    if (!supportsSaveStream)
      throw unsupported(
        `the plugin ${this.#name}`,
        'written as a stream',
        'Save from a path, or use a plugin with SaveStream',
      );
    const outputArtifact = this.#artifact(file);
    async function* frames() {
      yield { outputArtifact };
      for await (const chunk of content as AsyncIterable<Buffer>) yield { chunk };
    }
    await this.#call((client, options) => client.saveStream(frames(), options));
  }

  async *files(): AsyncIterable<string> {
    const { isDirectory } = await this.#call((client, options) =>
      client.isDirectory({ artifact: this.#artifact() }, options),
    );
    if (!isDirectory) return;
    const { objects } = await this.#call((client, options) =>
      client.listObjects({ artifact: this.#artifact() }, options),
    );
    const prefix = `${this.#key.replace(/\/$/, '')}/`;
    for (const object of objects) yield object.startsWith(prefix) ? object.slice(prefix.length) : object;
  }

  async remove(): Promise<void> {
    await this.#call((client, options) => client.delete({ artifact: this.#artifact() }, options));
  }

  async loadTo(path: string): Promise<void> {
    await this.#call((client, options) => client.load({ inputArtifact: this.#artifact(), path }, options));
  }

  async saveFrom(path: string): Promise<void> {
    await this.#call((client, options) => client.save({ outputArtifact: this.#artifact(), path }, options));
  }

  async close(): Promise<void> {
    this.#sessions.abort();
    if (this.#folder !== undefined) closeSync(this.#folder);
    this.#folder = undefined;
  }

  /** Sockets have paths of some hundred bytes; a longer one, as where pods are processes, is reached by its open folder. */
  #reachable(): string {
    if (Buffer.byteLength(this.#socket) <= longestPath || process.platform !== 'linux') return this.#socket;
    this.#folder ??= openSync(dirname(this.#socket), 'r');
    return `/proc/self/fd/${this.#folder}/${basename(this.#socket)}`;
  }

  #artifact(file?: string) {
    const { configuration, connectionTimeoutSeconds } = this.#settings as {
      configuration?: string;
      connectionTimeoutSeconds?: number;
    };
    const key = below(this.#key, file);
    return {
      name: key.slice(key.lastIndexOf('/') + 1),
      plugin: {
        name: this.#name,
        key,
        configuration: configuration ?? '',
        connectionTimeoutSeconds: connectionTimeoutSeconds ?? 0,
      },
    };
  }

  async #call<T extends object>(call: (client: Service, options: { signal?: AbortSignal }) => Promise<T>): Promise<T> {
    let answer: T;
    try {
      answer = await call(await this.#client(), this.#options());
    } catch (error) {
      throw this.#failed(error);
    }
    const { error } = answer as { error?: string };
    if (error) throw this.#failed(new ConnectError(error, codeOf(error)));
    return answer;
  }

  #options(): { signal?: AbortSignal } {
    return this.#access.signal ? { signal: this.#access.signal } : {};
  }

  /** Plugins begin beside anyone who asks them: their socket may be a while in coming. */
  #client(): Promise<Service> {
    this.#service ??= (async () => {
      const { access } = await import('node:fs/promises');
      const { clock = systemClock, signal, pluginWait = mostWait } = this.#access;
      const never = new AbortController().signal;
      for (let waited = 0; ; waited += 1) {
        try {
          await access(this.#socket);
          break;
        } catch (error) {
          if (waited === pluginWait) throw error;
        }
        await pause(clock, 1000, signal ?? never);
        signal?.throwIfAborted();
      }
      const { artifact } = await loadArtifactServices();
      return createClient(
        artifact,
        createGrpcTransport({ baseUrl: base, sessionManager: this.#sessions, readMaxBytes }),
      );
    })();
    return this.#service;
  }

  #failed(error: unknown): Error {
    const subject = { what: `the artifact ${this.#key}`, remote: `plugin ${this.#name}` };
    if (!(error instanceof ConnectError)) return broken(subject, error);
    if (error.code === Code.NotFound) return missing(subject, error);
    if (error.code === Code.Unavailable || error.code === Code.Canceled)
      return broken(subject, new Error(error.rawMessage));
    const isLogin = error.code === Code.PermissionDenied || error.code === Code.Unauthenticated;
    return answered(subject, isLogin ? 403 : 500, error.rawMessage);
  }
}
