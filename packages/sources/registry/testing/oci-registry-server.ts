import { createHash, randomUUID } from 'node:crypto';
import {
  basic,
  type SeenRequest,
  startTestServer,
  type TestAnswer,
  type TestServer,
  type TestServerTls,
} from './test-server.ts';

export interface OciRegistryBehaviour {
  /** How credentials are asked for; absent: not at all. */
  auth?: { kind: 'basic' | 'bearer'; username: string; password: string; identityToken?: string };
  /** The token service that is named; its own if absent. */
  realm?: string;
  /** Tags on one page; all if absent. */
  pageSize?: number;
  /** Blobs are redirected there, the path kept. */
  blobs?: string;
  /** Answers paths so, instead of serving. */
  answers?: Record<string, TestAnswer>;
  /** The digest of a tag is not told in a header. */
  withoutDigestHeader?: boolean;
  tls?: TestServerTls;
}

export interface PushedLayer {
  readonly mediaType: string;
  readonly data: Uint8Array;
  readonly size?: number;
  readonly annotations?: Record<string, string>;
}

export interface PushedArtifact {
  readonly config?: { mediaType: string; data: Uint8Array };
  readonly layers: readonly PushedLayer[];
  readonly annotations?: Record<string, string>;
}

export interface OciRegistryServer extends TestServer {
  readonly behaviour: OciRegistryBehaviour;
  /** Stores an artifact under a tag; its manifest's digest is given back. */
  push(repository: string, tag: string, artifact: PushedArtifact): string;
  /** Stores a packaged chart as `helm push` does: `+` of the version becomes `_`. */
  pushChart(repository: string, version: string, archive: Uint8Array, provenance?: Uint8Array): string;
  /** Makes tokens so far invalid. */
  revokeTokens(): void;
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const sum = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;
const json = (value: unknown): TestAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const failed = (status: number, code: string, message: string, headers: Record<string, string> = {}): TestAnswer => ({
  ...json({ errors: [{ code, message }] }),
  status,
  headers: { 'content-type': 'application/json', ...headers },
});

/** An OCI registry (reading only) with basic or token authentication, pages of tags, and redirected blobs. */
export async function startOciRegistry(behaviour: OciRegistryBehaviour = {}): Promise<OciRegistryServer> {
  const blobs = new Map<string, Uint8Array>();
  const manifests = new Map<string, Uint8Array>();
  const tags = new Map<string, Map<string, string>>();
  const tokens = new Map<string, string>();

  const token = (request: SeenRequest, body: string): TestAnswer => {
    const { auth } = behaviour;
    const query = new URL(request.url, 'http://x').searchParams;
    const form = new URLSearchParams(body);
    const right =
      !auth ||
      request.headers.authorization === basic(auth) ||
      (auth.identityToken !== undefined && form.get('refresh_token') === auth.identityToken);
    if (!right) return failed(401, 'UNAUTHORIZED', 'incorrect username or password');
    const made = randomUUID();
    tokens.set(made, form.get('scope') ?? query.getAll('scope').join(' '));
    return json({ token: made });
  };

  const refusal = (request: SeenRequest, repository: string): TestAnswer | undefined => {
    const { auth } = behaviour;
    if (!auth) return undefined;
    const given = request.headers.authorization;
    if (auth.kind === 'basic') {
      return given === basic(auth)
        ? undefined
        : failed(401, 'UNAUTHORIZED', 'authentication required', { 'www-authenticate': 'Basic realm="registry"' });
    }
    const scope = `repository:${repository}:pull`;
    const granted = tokens.get(given?.replace('Bearer ', '') ?? '');
    if (granted !== undefined && (repository === '' || granted.split(' ').includes(scope))) return undefined;
    const realm = behaviour.realm ?? `${behaviour.tls ? 'https' : 'http'}://${request.headers.host}/token`;
    const wanted = repository === '' ? '' : `,scope="${scope}"`;
    return failed(401, 'UNAUTHORIZED', 'authentication required', {
      'www-authenticate': `Bearer realm="${realm}",service="registry.test"${wanted}`,
    });
  };

  const server = await startTestServer((request, body) => {
    const [path = '', query = ''] = request.url.split('?');
    const answer = behaviour.answers?.[path];
    if (answer) return answer;
    if (path === '/token') return token(request, body);
    const [, repository = '', kind = '', name = ''] =
      /^\/v2\/(?:(.+)\/(manifests|blobs|tags)\/(.+))?$/.exec(path) ?? [];
    const no = refusal(request, repository);
    if (no) return no;
    if (path === '/v2/') return json({});
    if (kind === 'tags') return listTags(repository, new URLSearchParams(query));
    if (kind === 'blobs') {
      if (behaviour.blobs) return { status: 307, headers: { location: `${behaviour.blobs}${path}` } };
      const data = blobs.get(name);
      return data ? { body: data } : failed(404, 'BLOB_UNKNOWN', 'blob unknown to registry');
    }
    const digest = name.startsWith('sha256:') ? name : tags.get(repository)?.get(name);
    const manifest = manifests.get(digest ?? '');
    if (!manifest || digest === undefined) return failed(404, 'MANIFEST_UNKNOWN', 'manifest unknown');
    return {
      headers: {
        'content-type': manifestType,
        ...(behaviour.withoutDigestHeader ? {} : { 'docker-content-digest': digest }),
      },
      body: manifest,
    };
  }, behaviour.tls);

  function listTags(repository: string, query: URLSearchParams): TestAnswer {
    const known = tags.get(repository);
    if (!known) return failed(404, 'NAME_UNKNOWN', 'repository name not known to registry');
    const names = [...known.keys()];
    const from = query.get('last') === null ? 0 : names.indexOf(query.get('last') ?? '') + 1;
    const page = names.slice(from, from + (behaviour.pageSize ?? names.length));
    const more = from + page.length < names.length;
    const link = `</v2/${repository}/tags/list?last=${page.at(-1)}&n=${page.length}>; rel="next"`;
    return {
      headers: { 'content-type': 'application/json', ...(more ? { link } : {}) },
      body: JSON.stringify({ name: repository, tags: page }),
    };
  }

  function push(repository: string, tag: string, { config, layers, annotations }: PushedArtifact): string {
    const store = ({ mediaType, data, size, annotations: own }: PushedLayer) => {
      blobs.set(sum(data), data);
      return { mediaType, digest: sum(data), size: size ?? data.length, ...(own ? { annotations: own } : {}) };
    };
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config: store(config ?? { mediaType: 'application/vnd.oci.empty.v1+json', data: Buffer.from('{}') }),
        layers: layers.map(store),
        ...(annotations ? { annotations } : {}),
      }),
    );
    const digest = sum(manifest);
    manifests.set(digest, manifest);
    tags.set(repository, (tags.get(repository) ?? new Map<string, string>()).set(tag, digest));
    return digest;
  }

  return {
    ...server,
    behaviour,
    push,
    pushChart(repository, version, archive, provenance) {
      const name = repository.split('/').at(-1) ?? '';
      const layers = [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', data: archive }];
      if (provenance)
        layers.push({ mediaType: 'application/vnd.cncf.helm.chart.provenance.v1.prov', data: provenance });
      const data = Buffer.from(JSON.stringify({ apiVersion: 'v2', name, version }));
      return push(repository, version.replaceAll('+', '_'), {
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', data },
        layers,
        annotations: { 'org.opencontainers.image.title': name, 'org.opencontainers.image.version': version },
      });
    },
    revokeTokens: () => tokens.clear(),
  };
}
