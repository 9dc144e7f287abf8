import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { pluginServices } from '@tiphys/api';
import { DiagnosisError, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { type AppMetadata, type ArchiveLimits, receiveApp } from './app-stream.ts';
import { isDiscoveryConfigured, type PluginConfig, socketName } from './plugin-config.ts';
import { announceParameters, generateManifests, matchRepository } from './plugin-work.ts';
import type { CommandOptions } from './run-command.ts';
import { splitDocuments } from './split-documents.ts';
import { appFolder, writeFolder } from './write-folder.ts';

export interface PluginServerOptions {
  readonly config: PluginConfig;
  /** Where the socket is made; made itself if it is not there. */
  readonly socketFolder: string;
  /** Below it, each call gets a folder of its own; the system's folder for temporary files if absent. */
  readonly workFolder?: string;
  /** What commands find in their environment besides what the caller sends; this process' own if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** 200 MB packed, 1 GB unpacked and 200,000 files where not given. */
  readonly limits?: Partial<ArchiveLimits>;
  readonly log?: (line: string) => void;
}

/** A plugin that is served until it is closed. */
export interface PluginServer {
  readonly socket: string;
  close(): Promise<void>;
}

const defaultLimits: ArchiveLimits = { packedBytes: 200_000_000, bytes: 1_000_000_000, files: 200_000 };
const maxMessage = 100 * 1024 * 1024;
/** A command is stopped this long before its caller stops waiting, so that it can still be told why; in milliseconds. */
const buffer = 100;

type Requests = Parameters<typeof receiveApp>[0];

/** Serves a plugin's commands on a unix socket by Argo CD's protocol, as argocd-cmp-server does. */
export async function startPluginServer(options: PluginServerOptions): Promise<PluginServer> {
  const { config, socketFolder } = options;
  const socket = join(socketFolder, `${socketName(config)}.sock`);
  const server = createServer(
    connectNodeAdapter({
      routes: routesOf(options),
      connect: false,
      grpcWeb: false,
      readMaxBytes: maxMessage,
      writeMaxBytes: maxMessage,
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await mkdir(socketFolder, { recursive: true, mode: 0o700 });
  // What a process left behind that was killed; anyone who still listens on it is not reached any more.
  await rm(socket, { force: true });
  await listen(server, socket);
  await chmod(socket, 0o775);
  return {
    socket,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.destroy();
      await closed;
      await rm(socket, { force: true });
    },
  };
}

function listen(server: Http2Server, socket: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(socket, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}

function routesOf(options: PluginServerOptions): (router: ConnectRouter) => void {
  const { config } = options;
  const serve = <T>(work: (options: CommandOptions, metadata: AppMetadata) => Promise<T>) => {
    return (requests: Requests, context: HandlerContext) => handled(requests, context, options, work);
  };
  return (router) => {
    router.service(pluginServices.plugin, {
      checkPluginConfiguration: () => ({
        isDiscoveryConfigured: isDiscoveryConfigured(config),
        provideGitCreds: config.provideGitCreds,
      }),
      generateManifest: serve(async (command) => ({
        manifests: splitDocuments(await generateManifests(config, command)),
      })),
      matchRepository: serve((command) => matchRepository(config, command)),
      getParametersAnnouncement: serve(async (command) => ({
        parameterAnnouncements: (await announceParameters(config, command)).map(({ array, map, ...rest }) => ({
          ...rest,
          array: [...(array ?? [])],
          map: { ...map },
        })),
      })),
    });
  };
}

async function handled<T>(
  requests: Requests,
  context: HandlerContext,
  { config, workFolder, environment = process.env, limits, log }: PluginServerOptions,
  work: (options: CommandOptions, metadata: AppMetadata) => Promise<T>,
): Promise<T> {
  const left = context.timeoutMs();
  const signal =
    left === undefined
      ? context.signal
      : AbortSignal.any([context.signal, AbortSignal.timeout(Math.max(1, left - buffer))]);
  try {
    const { files, ...metadata } = await receiveApp(requests, { ...defaultLimits, ...limits });
    const folder = await writeFolder(workFolder ?? join(tmpdir(), '_cmp_server'), files, config);
    try {
      const own = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return await work(
        {
          folder: appFolder(folder, metadata.appRelPath),
          environment: { ...Object.fromEntries(own), ...metadata.environment },
          signal,
          maxBytes: maxMessage,
          ...(log ? { log } : {}),
        },
        metadata,
      );
    } finally {
      await folder.remove();
    }
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    const words = error instanceof DiagnosisError ? error.diagnosis.message : formatDiagnosis(diagnosisOf(error));
    log?.(words);
    throw new ConnectError(words, signal.aborted ? Code.DeadlineExceeded : Code.Unknown, undefined, undefined, error);
  }
}
