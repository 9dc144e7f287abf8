import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApplicationSet } from '@tiphys/api';
import { httpRequest } from '@tiphys/git';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import type { GeneratorSettings, GeneratorSources } from '../generators/sources.ts';
import { compileFilePattern } from '../live/git-patterns.ts';

export const plainSettings: GeneratorSettings = {
  requeueAfter: 180_000,
  allowedScmProviders: [],
  enableScmProviders: true,
  tokenRefStrictMode: false,
  newGitFileGlobbing: false,
  includeHiddenDirectories: false,
  scmRootCa: undefined,
  scmProxy: undefined,
  scmNoProxy: undefined,
};

export interface FixedData {
  readonly clusters?: readonly KubeObject[];
  /** Files of every repository, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly decisions?: readonly KubeObject[];
  readonly settings?: Partial<GeneratorSettings>;
}

/** Sources of generators that are plain data; HTTP goes to where the test says. */
export function fixedSources(data: FixedData = {}): GeneratorSources {
  const paths = Object.keys(data.files ?? {}).sort();
  return {
    clock: systemClock,
    controlNamespace: 'argocd',
    clusterSecrets: () => data.clusters ?? [],
    projectExists: (name) => name === 'default',
    git: {
      directories: async () => {
        const folders = paths.flatMap((path) => {
          const parts = path.split('/').slice(0, -1);
          return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
        });
        return [...new Set(folders)].sort();
      },
      files: async ({ include, exclude, newGlobbing }) => {
        const compile = (patterns: readonly string[]) => patterns.map((text) => compileFilePattern(text, newGlobbing));
        const [wanted, unwanted] = [compile(include), compile(exclude)];
        const value = paths
          .filter((path) => wanted.some((is) => is(path)) && !unwanted.some((is) => is(path)))
          .map((path) => ({ path, content: data.files?.[path] ?? '' }));
        return { commit: 'a'.repeat(40), value };
      },
    },
    secret: async (namespace, name) => {
      const found = data.secrets?.[name];
      const encoded = Object.fromEntries(
        Object.entries(found ?? {}).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      );
      const metadata = { name, namespace, ...(data.labels ? { labels: { ...data.labels } } : {}) };
      return found && { apiVersion: 'v1', kind: 'Secret', metadata, data: encoded };
    },
    configMap: async (namespace, name) => {
      const found = data.configMaps?.[name];
      return found && { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: found };
    },
    decisions: async () => data.decisions ?? [],
    repositoryCredentials: (name) => data.secrets?.[name],
    http: (request) => httpRequest({ ...request, clock: systemClock }),
    githubAppToken: async () => 'app-token',
    settings: () => ({ ...plainSettings, ...data.settings }),
  };
}

export function clusterSecret(name: string, server: string, labels: Record<string, string> = {}): KubeObject {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `cluster-${name}`, namespace: 'argocd', labels, annotations: { note: name } },
    data: { name: encode(name), server: encode(server) },
  };
}

export function applicationSet(spec: object, name = 'set'): ApplicationSet {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name, namespace: 'argocd', uid: `uid-${name}` },
    spec: {
      generators: [],
      template: {
        metadata: { name: '{{name}}' },
        spec: {
          project: 'default',
          source: { repoURL: 'https://git.example.com/x', path: '.' },
          destination: { name: 'in-cluster' },
        },
      },
      ...spec,
    },
  } as ApplicationSet;
}

/** An answer of a stand-in for an API: a body, or everything. `%URL%` in it stands for the server's own address. */
export type Reply =
  | unknown
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

export interface StandIn {
  readonly url: string;
  /** `METHOD path?query`, with the authorization if there was one. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** A local server that answers `METHOD path?query` as the documentation of an API says; anything else is 404. */
export async function standIn(routes: Readonly<Record<string, Reply>>): Promise<StandIn> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    const auth = request.headers.authorization ?? request.headers['private-token'];
    requests.push(auth ? `${asked} ${String(auth)}` : asked);
    const target = request.headers['x-amz-target'];
    const found = routes[target ? `${asked} ${String(target)}` : asked];
    const whole = typeof found === 'object' && found !== null && 'status' in found;
    const { status, body, headers } = whole
      ? (found as { status: number; body?: unknown; headers?: Record<string, string> | undefined })
      : { status: found === undefined ? 404 : 200, body: found ?? { message: 'Not Found' }, headers: undefined };
    const fill = (text: string) => text.replaceAll('%URL%', url);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, fill(value));
    request.resume();
    response.end(fill(JSON.stringify(body ?? {})));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
