import { createHash } from 'node:crypto';
import { basic, startTestServer, type TestAnswer, type TestServer, type TestServerTls } from './test-server.ts';

export interface HelmRepositoryBehaviour {
  /** User name and password that are wanted; absent: none. */
  auth?: { username: string; password: string };
  /** Answers paths (with `/`) so, instead of serving. */
  answers?: Record<string, TestAnswer>;
  /** What index.yaml is instead of the index of the packages. */
  index?: string | Uint8Array;
  /** Put before the file names in the index: an absolute URL, or a folder; empty if not given. */
  base?: string;
  /** Digests are left out of the index. */
  withoutDigests?: boolean;
  tls?: TestServerTls;
}

export interface HelmRepositoryServer extends TestServer {
  readonly behaviour: HelmRepositoryBehaviour;
  /** Adds a file; what ends in `.tgz` and is named `name-version.tgz` is in the index. */
  add(name: string, version: string, archive: Uint8Array, provenance?: Uint8Array): void;
  /** Publishes other bytes as a version that was there. */
  replace(name: string, version: string, archive: Uint8Array): void;
}

/** A Helm repository over HTTP, with ETags. */
export async function startHelmRepository(behaviour: HelmRepositoryBehaviour = {}): Promise<HelmRepositoryServer> {
  const charts: { name: string; version: string; file: string; digest: string }[] = [];
  const files = new Map<string, Uint8Array>();
  const indexText = (): string | Uint8Array => {
    if (behaviour.index !== undefined) return behaviour.index;
    const names = [...new Set(charts.map(({ name }) => name))];
    const entries = names.map((name) => {
      const versions = charts.filter((chart) => chart.name === name);
      return `  ${name}:\n${versions
        .map(
          ({ version, file, digest }) =>
            `  - apiVersion: v2\n    name: ${name}\n    version: ${version}\n    description: A chart of tests\n${behaviour.withoutDigests ? '' : `    digest: ${digest}\n`}    urls:\n    - ${behaviour.base ?? ''}${file}\n`,
        )
        .join('')}`;
    });
    return `apiVersion: v1\ngenerated: "2026-01-01T00:00:00Z"\nentries:${names.length === 0 ? ' {}' : ''}\n${entries.join('')}`;
  };
  const server = await startTestServer(({ url, headers }) => {
    const path = url.split('?')[0] ?? '';
    const answer = behaviour.answers?.[path];
    if (answer) return answer;
    if (behaviour.auth && headers.authorization !== basic(behaviour.auth)) {
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="charts"' }, body: 'unauthorized' };
    }
    const body = path === '/index.yaml' ? indexText() : files.get(path.slice(1));
    if (body === undefined) return undefined;
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    return { headers: { etag }, body };
  }, behaviour.tls);
  return {
    ...server,
    behaviour,
    add(name, version, archive, provenance) {
      const file = `${name}-${version}.tgz`;
      charts.push({ name, version, file, digest: createHash('sha256').update(archive).digest('hex') });
      files.set(file, archive);
      if (provenance) files.set(`${file}.prov`, provenance);
    },
    replace(name, version, archive) {
      for (const [index, chart] of charts.entries())
        if (chart.name === name && chart.version === version)
          charts[index] = { ...chart, digest: createHash('sha256').update(archive).digest('hex') };
      files.set(`${name}-${version}.tgz`, archive);
    },
  };
}
