import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type GitServer, makeCertificate, startGitServer } from '../../packages/sources/git/testing/index.ts';
import { startHelmRepository, startOciRegistry } from '../../packages/sources/registry/testing/index.ts';
import type { Fault, Setting } from './fault.ts';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

/** A repository that is registered with a Secret of these fields, behind a server that may misbehave. */
export function registered(
  fault: Omit<Fault, 'spec' | 'fromStart' | 'inject' | 'mend'>,
  fields: (setting: Setting) => Promise<{
    secret: Record<string, string>;
    mended?: Record<string, string>;
    server?: Parameters<typeof startGitServer>[1];
    auth?: GitServer['behaviour']['auth'];
  }>,
): Fault {
  let mended: Record<string, string> | undefined;
  const secretOf = (world: Setting['world'], name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: world.namespace,
    name: `repo-${name}`,
  });
  return {
    ...fault,
    fromStart: true,
    spec: async (setting) => {
      const { world, name, repository, closeLater } = setting;
      const { secret, server: options, ...rest } = await fields(setting);
      mended = rest.mended;
      const server = await startGitServer(dirname(repository.url), options);
      closeLater(() => server.close());
      if (rest.auth) server.behaviour.auth = rest.auth;
      const repoURL = `${server.url}/${basename(repository.url)}`;
      await world.client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `repo-${name}`,
          namespace: world.namespace,
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        },
        stringData: { type: 'git', url: repoURL, ...secret },
      });
      return { source: { repoURL, path: 'app', targetRevision: 'main' } };
    },
    mend: ({ world, name }) => world.client.patch(secretOf(world, name), 'merge', { stringData: mended ?? {} }),
  };
}

/** A proxy that answers all with a status. */
async function refusingProxy(status: number, { closeLater }: Setting): Promise<string> {
  const proxy = createHttp((_request, response) => void response.writeHead(status).end());
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
  });
  const port = await listen(proxy);
  closeLater(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${port}`;
}

function certificate({ closeLater }: Setting, options: Parameters<typeof makeCertificate>[1] = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
  closeLater(async () => rmSync(folder, { recursive: true }));
  return makeCertificate(folder, options);
}

/** An application whose source never was there; the fault lasts. */
const never = (fault: Omit<Fault, 'fromStart' | 'mend'>): Fault => ({ ...fault, fromStart: true });

/** A repository that was served, and whose host then answers everything so. */
export function answering(
  fault: Omit<Fault, 'inject' | 'mend' | 'spec'>,
  answer: NonNullable<GitServer['behaviour']['answer']>,
): Fault {
  let server: GitServer | undefined;
  return {
    ...fault,
    spec: async ({ repository, closeLater }) => {
      const started = await startGitServer(dirname(repository.url));
      server = started;
      closeLater(() => started.close());
      return { source: { repoURL: `${started.url}/${basename(repository.url)}`, path: 'app', targetRevision: 'main' } };
    },
    inject: async (stage) => {
      (server as GitServer).behaviour.answer = answer;
      await stage.refresh();
    },
    mend: async () => {
      delete (server as GitServer).behaviour.answer;
    },
  };
}

/** Which hop of the way to a source fails, on each kind of way. */
export const routeFaults: readonly Fault[] = [
  registered(
    {
      id: 'R8',
      title: 'a proxy that lets nothing through, before a host with TLS',
      code: 'ProxyRefused',
      contains: [/does not let requests to 127\.0\.0\.1 through \(403\)/, /proxy of the repository/],
      excludes: [/RepositoryCredentialRefused/],
    },
    async (setting) => ({
      secret: { proxy: await refusingProxy(403, setting), insecure: 'true' },
      mended: { proxy: '' },
      server: { tls: certificate(setting) },
    }),
  ),
  registered(
    {
      id: 'R8',
      title: 'a proxy that wants credentials',
      code: 'ProxyRefused',
      contains: [/wants other credentials \(407\)/],
    },
    async (setting) => ({
      secret: { proxy: await refusingProxy(407, setting), insecure: 'true' },
      mended: { proxy: '' },
      server: { tls: certificate(setting) },
    }),
  ),
  registered(
    {
      id: 'R8',
      title: 'a proxy that reads what passes and lets nothing through',
      code: 'ProxyRefused',
      contains: [/The proxy http:.*or the host 127\.0\.0\.1 behind it/, /403/],
      excludes: [/wants a credential/],
    },
    async (setting) => ({ secret: { proxy: await refusingProxy(403, setting) }, mended: { proxy: '' } }),
  ),
  registered(
    {
      id: 'R4',
      title: 'a certificate that has expired',
      code: 'RepositoryCertificateInvalid',
      contains: [/has expired \(2024-02-01/, /our clock/, /Renew/],
      excludes: [/ClockSkew/],
    },
    async (setting) => ({
      secret: {},
      mended: { insecure: 'true' },
      server: { tls: certificate(setting, { notBefore: '20240101000000Z', notAfter: '20240201000000Z' }) },
    }),
  ),
  registered(
    {
      id: 'R4',
      title: 'a certificate for another name',
      code: 'RepositoryCertificateInvalid',
      contains: [/is for other names: DNS:other\.example/],
    },
    async (setting) => ({
      secret: {},
      mended: { insecure: 'true' },
      server: { tls: certificate(setting, { names: 'DNS:other.example' }) },
    }),
  ),
  registered(
    {
      id: 'R5',
      title: 'a clock that runs behind that of the host',
      code: 'ClockSkew',
      contains: [/Our clock is .* behind that of host 127\.0\.0\.1/, /NTP/],
      excludes: [/insecure/],
    },
    async (setting) => ({
      secret: {},
      mended: { insecure: 'true' },
      server: {
        date: 'Fri, 01 Jan 2100 00:00:00 GMT',
        tls: certificate(setting, { notBefore: '20990101000000Z', notAfter: '21010101000000Z' }),
      },
    }),
  ),
  answering(
    {
      id: 'R8',
      title: 'a login page in place of the repository',
      code: 'RepositoryFailed',
      contains: [/not as a Git repository does: it sends a web page/, /text\/html/],
      excludes: [/repository is empty/],
    },
    { status: 200, headers: { 'content-type': 'text/html' } },
  ),
  answering(
    {
      id: 'RepositoryRedirected',
      title: 'a page to sign in before the repository',
      code: 'RepositoryRedirected',
      contains: [/a page to sign in and no repository/, /credential/],
      excludes: [/repoURL: /],
    },
    { status: 302, headers: { location: 'https://id.example/login?next=x' } },
  ),
  registered(
    {
      id: 'R7',
      title: 'a GitHub App that is not installed',
      code: 'GitHubAppTokenRefused',
      contains: [/GitHub App 7 is not installed there/, /404/, /githubAppInstallationID/],
    },
    async (setting) => {
      const host = createHttp((_request, response) => void response.writeHead(404).end('{"message":"Not Found"}'));
      const port = await listen(host);
      setting.closeLater(async () => {
        host.closeAllConnections();
        host.close();
      });
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      });
      const app = { githubAppID: '7', githubAppInstallationID: '8', githubAppPrivateKey: privateKey };
      return {
        secret: { ...app, githubAppEnterpriseBaseUrl: `http://127.0.0.1:${port}` },
        mended: {
          githubAppID: '',
          githubAppInstallationID: '',
          githubAppPrivateKey: '',
          githubAppEnterpriseBaseUrl: '',
        },
      };
    },
  ),
  {
    id: 'R13',
    title: 'a submodule that wants a credential',
    inject: async (stage) => {
      const host = createHttp(
        (_request, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(),
      );
      const port = await listen(host);
      host.unref();
      const commit = stage.repository.git('rev-parse', 'HEAD');
      stage.commit({
        '.gitmodules': `[submodule "lib"]\n\tpath = app/lib\n\turl = http://127.0.0.1:${port}/lib.git\n`,
      });
      stage.repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},app/lib`);
      stage.repository.git('commit', '--quiet', '-m', 'Add lib');
      await stage.patch({ source: { directory: { recurse: true } } });
    },
    code: 'SubmoduleUnreadable',
    contains: [/app\/lib/, /lib\.git/],
    mend: async (stage) => {
      stage.repository.git('rm', '--quiet', '--cached', 'app/lib');
      stage.commit({ '.gitmodules': undefined });
    },
  },
  never({
    id: 'R8',
    title: 'a host name that nobody knows',
    spec: { source: { repoURL: 'https://git.no-such-name.invalid/a.git', path: 'app', targetRevision: 'main' } },
    code: 'RepositoryUnreachable',
    contains: [/git\.no-such-name\.invalid/, /"DNS"/],
    excludes: [/firewall/],
  }),
  never({
    id: 'R8',
    title: 'a port that speaks no SSH',
    spec: async ({ closeLater }) => {
      const server = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
      const port = await listen(server);
      closeLater(async () => void server.close());
      return { source: { repoURL: `ssh://git@127.0.0.1:${port}/a.git`, path: 'app', targetRevision: 'main' } };
    },
    code: 'RepositoryUnreachable',
    contains: [/ends it before SSH has begun/, /SSH key exchange/],
    excludes: [/correct access rights\.$/],
  }),
  never({
    id: 'R8',
    title: 'a port that speaks no TLS',
    spec: async ({ closeLater }) => {
      const server = createHttp((_request, response) => void response.end());
      const port = await listen(server);
      closeLater(async () => {
        server.closeAllConnections();
        server.close();
      });
      return { source: { repoURL: `https://127.0.0.1:${port}/a.git`, path: 'app', targetRevision: 'main' } };
    },
    code: 'RepositoryUnreachable',
    contains: [/speaks no TLS at port/],
  }),
  never({
    id: 'R12',
    title: 'a Helm repository without an index',
    spec: async ({ closeLater }) => {
      const server = await startHelmRepository({ answers: { '/index.yaml': { status: 404 } } });
      closeLater(() => server.close());
      return { source: { repoURL: server.url, chart: 'shop', targetRevision: '1.0.0', path: '' } };
    },
    code: 'RegistryAnswerRefused',
    cause: 'RegistryAnswerRefused',
    contains: [/There is no Helm repository at/, /index\.yaml/],
  }),
  never({
    id: 'R12',
    title: 'an OCI registry without the chart',
    spec: async ({ closeLater, name, world }) => {
      const server = await startOciRegistry();
      closeLater(() => server.close());
      const url = `${server.url.replace(/^https?:\/\//, '')}/charts`;
      await world.client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `repo-${name}`,
          namespace: world.namespace,
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        },
        stringData: { type: 'helm', name: 'charts', url, enableOCI: 'true', insecureOCIForceHttp: 'true' },
      });
      return { source: { repoURL: url, chart: 'shop', targetRevision: '1.0.1', path: '' } };
    },
    code: 'ChartNotFound',
    cause: 'R10',
    contains: [/shop:1\.0\.1/],
  }),
];
