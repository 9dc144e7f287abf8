import { createHash } from 'node:crypto';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { services } from '@tiphys/api';
import { type ArchiveEntry, writeArchive } from '@tiphys/registry';
import { type ApiSession, RequestError } from './api-session.ts';
import type { ApplicationName, ManagedResource } from './application-api.ts';

const chunkSize = 64 * 1024;

/** HTTP statuses of gRPC codes, as far as commands tell them apart. */
const statuses: ReadonlyMap<Code, number> = new Map([
  [Code.Unauthenticated, 401],
  [Code.PermissionDenied, 403],
  [Code.NotFound, 404],
  [Code.InvalidArgument, 400],
]);

/** The calls whose messages are too large, or too many, for REST: they go by gRPC. Every method throws a `DiagnosisError`. */
export class ManifestService {
  readonly #client: Client<typeof services.application>;
  readonly #headers: Record<string, string>;

  constructor({ server, token, connection }: Pick<ApiSession, 'server' | 'token' | 'connection'>) {
    const { tls, headers } = connection;
    const transport = createGrpcTransport({ baseUrl: server, ...(tls ? { nodeOptions: tls } : {}) });
    this.#client = createClient(services.application, transport);
    this.#headers = { ...headers, ...(token ? { token } : {}) };
  }

  /** What the files of a repository would be rendered to. */
  async manifestsOf(name: ApplicationName, files: readonly ArchiveEntry[], signal: AbortSignal): Promise<string[]> {
    const data = writeArchive(files);
    const query = {
      name: name.name,
      ...(name.appNamespace ? { appNamespace: name.appNamespace } : {}),
      checksum: createHash('sha256').update(data).digest('hex'),
    };
    async function* parts() {
      yield { part: { case: 'query' as const, value: query } };
      for (let at = 0; at < data.length; at += chunkSize)
        yield { part: { case: 'chunk' as const, value: { chunk: data.subarray(at, at + chunkSize) } } };
    }
    return await told('GetManifestsWithFiles', async () => {
      const { manifests } = await this.#client.getManifestsWithFiles(parts(), { headers: this.#headers, signal });
      return [...manifests];
    });
  }

  /** What the API server would make of the manifests: by dry runs, object by object in the order of `targets`. */
  async compare(
    name: ApplicationName,
    { live, targets }: { readonly live: readonly ManagedResource[]; readonly targets: readonly string[] },
    signal: AbortSignal,
  ): Promise<ManagedResource[]> {
    const request = {
      appName: name.name,
      ...(name.appNamespace ? { appNamespace: name.appNamespace } : {}),
      liveResources: live.map(({ group = '', kind, namespace = '', name: object, liveState = '' }) => ({
        group,
        kind,
        namespace,
        name: object,
        liveState,
      })),
      targetManifests: [...targets],
    };
    return await told('ServerSideDiff', async () => {
      const { items } = await this.#client.serverSideDiff(request, { headers: this.#headers, signal });
      return items as unknown as ManagedResource[];
    });
  }
}

async function told<T>(method: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw new RequestError(statuses.get(error.code) ?? 500, error.rawMessage, method);
  }
}
