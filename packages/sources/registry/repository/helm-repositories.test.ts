import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCertificate } from '@tiphys/git/testing';
import { ArchiveCache, sha256 } from '../access/archive-cache.ts';
import { RegistryError } from '../access/registry-error.ts';
import { HttpClient } from '../http/http-client.ts';
import {
  type HelmRepositoryBehaviour,
  type HelmRepositoryServer,
  packageChart,
  startHelmRepository,
  startTestServer,
} from '../testing/index.ts';
import { selectVersion } from './chart-selection.ts';
import { HelmRepositories, resolveReference } from './helm-repositories.ts';

const secret = 'MARKER-secret';
const user = { username: 'robot', password: secret };
const web = packageChart('web', '1.2.0');

async function withRepository(
  behaviour: HelmRepositoryBehaviour,
  body: (server: HelmRepositoryServer, repositories: HelmRepositories) => Promise<void>,
): Promise<void> {
  const server = await startHelmRepository(behaviour);
  try {
    await body(server, new HelmRepositories({ http: new HttpClient({ attempts: 1 }), maxIndexBytes: 1 << 20 }));
  } finally {
    await server.close();
  }
}

async function failureOf(work: Promise<unknown>): Promise<RegistryError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof RegistryError, String(error));
  assert.ok(!JSON.stringify(error.diagnosis).includes(secret) && !error.goMessage.includes(secret), 'a secret is told');
  return error;
}

const indexOf = (entries: string): string => `apiVersion: v1\nentries:\n${entries}`;

test('an index is asked for again only with its ETag, and served from memory while it is young', () =>
  withRepository({ auth: user }, async (server, repositories) => {
    server.add('web', '1.2.0', web);
    const repository = { url: server.url, access: user };
    const first = await repositories.index(repository);
    assert.deepEqual([...first.index.entries.keys()], ['web']);
    await repositories.index(repository, { maxAge: 60_000 });
    assert.equal(server.requests.length, 1);
    const again = await repositories.index(repository);
    assert.equal(again.index, first.index);
    assert.ok(server.requests[1]?.headers['if-none-match']);
    server.add('web', '1.3.0', web);
    const changed = await repositories.index(repository);
    assert.equal(changed.index.entries.get('web')?.length, 2);
  }));

test('a version is the very one, or the newest in the range; entries that are not valid are skipped', () =>
  withRepository({}, async (server, repositories) => {
    server.behaviour.index = indexOf(
      [
        '  web:',
        '  - {name: web, version: 1.2.0, urls: [a.tgz]}',
        '  - {name: web, version: 1.10.0, urls: [b.tgz]}',
        '  - {name: web, version: 2.0.0-rc.1, urls: [c.tgz]}',
        '  - {name: web, version: not a version, urls: [d.tgz]}',
        '  -',
        '  - {version: 9.0.0, urls: [e.tgz]}',
        '  - {name: web, version: "9.0.1\\e[2J", urls: [f.tgz]}',
        '  other: []',
      ].join('\n'),
    );
    const { index } = await repositories.index({ url: server.url, access: {} });
    const pick = (wanted: string) => selectVersion(index, 'web', wanted, server.url).entry.version;
    assert.equal(pick(''), '1.10.0');
    assert.equal(pick('~1.2'), '1.2.0');
    assert.equal(pick('>0.0.0-0'), '2.0.0-rc.1');
    assert.equal(pick('2.0.0-rc.1'), '2.0.0-rc.1');
    assert.equal(index.skipped.length, 4);
    assert.equal(selectVersion(index, 'web', 'v1.2.0', server.url).substituted, true);
    for (const [chart, wanted, code] of [
      ['web', '^3', 'ChartVersionNotFound'],
      ['web', 'nonsense', 'ChartVersionNotFound'],
      ['other', '', 'ChartVersionNotFound'],
      ['wbe', '', 'ChartNotFound'],
    ] as const) {
      assert.throws(
        () => selectVersion(index, chart, wanted, server.url),
        (error) => error instanceof RegistryError && error.diagnosis.code === code,
      );
    }
  }));

test('CVE-2020-15185: two packages for one version are refused, and so is a key twice', () =>
  withRepository({}, async (server, repositories) => {
    const twice = ['a', 'b']
      .map((digit) => `  - {name: web, version: 1.0.0, digest: "${digit.repeat(64)}", urls: [${digit}.tgz]}\n`)
      .join('');
    server.behaviour.index = indexOf(`  web:\n${twice}`);
    const { index } = await repositories.index({ url: server.url, access: {} });
    assert.throws(() => selectVersion(index, 'web', '1.0.0', server.url), /two different packages/);
    server.behaviour.index = indexOf(
      '  web: [{name: web, version: 1.0.0, urls: [a.tgz]}]\n  web: [{name: web, version: 1.0.0, urls: [b.tgz]}]\n',
    );
    assert.match(
      (await failureOf(repositories.index({ url: server.url, access: {} }))).goMessage,
      /already set in map/,
    );
  }));

test('CVE-2022-23525, CVE-2024-26147: empty, null and mistyped indexes are failures, not crashes', () =>
  withRepository({}, async (server, repositories) => {
    for (const [text, words] of [
      ['', /empty index.yaml file/],
      ['null', /no API version specified/],
      ['entries: {}', /no API version specified/],
      ['[]', /cannot unmarshal array/],
      ['apiVersion: v1\nentries: {web: 7}', /cannot unmarshal number/],
      ['apiVersion: v1\nentries: {web: [7]}', /cannot unmarshal number/],
      ['apiVersion: v1\nentries: {web: [{name: web, version: 1.0.0, urls: 7}]}', /cannot unmarshal/],
      ['apiVersion: v1\nsurprise: 1', /unknown field "surprise"/],
      ['a: b: c', /error converting YAML to JSON/],
    ] as const) {
      server.behaviour.index = text;
      const failure = await failureOf(repositories.index({ url: server.url, access: {} }));
      assert.equal(failure.diagnosis.code, 'ChartRepositoryIndexInvalid', text);
      assert.match(failure.goMessage, words);
    }
    server.behaviour.index = 'apiVersion: v1\nentries: {x: [null], z: null}';
    const { index } = await repositories.index({ url: server.url, access: {} });
    assert.deepEqual(index.entries.get('x'), []);
    assert.throws(() => selectVersion(index, 'z', '', server.url), /no chart version found|no version/);
  }));

test('a large index is read aside, with the same result and the same faults', () =>
  withRepository({}, async (server) => {
    const repositories = new HelmRepositories({ http: new HttpClient({ attempts: 1 }), maxIndexBytes: 1 << 24 });
    const lines = Array.from(
      { length: 20_000 },
      (_, n) => `  - {name: web, version: 1.0.${n}, urls: [web-1.0.${n}.tgz]}\n`,
    );
    server.behaviour.index = indexOf(`  web:\n${lines.join('')}`);
    const repository = { url: server.url, access: {} };
    const { index } = await repositories.index(repository);
    assert.equal(selectVersion(index, 'web', '', server.url).entry.version, '1.0.19999');
    server.behaviour.index = `${server.behaviour.index}surprise: 1\n`;
    assert.match((await failureOf(repositories.index(repository))).goMessage, /unknown field "surprise"/);
  }));

test('CVE-2024-29893: an endless index is cut at its bound', () =>
  withRepository({ answers: { '/index.yaml': { endless: true } } }, async (server, repositories) => {
    const failure = await failureOf(repositories.index({ url: server.url, access: {} }));
    assert.equal(failure.diagnosis.code, 'RegistryAnswerTooLarge');
  }));

test('CVE-2021-32690: credentials go to the host of the repository alone, unless passCredentials says otherwise', async () => {
  const other = await startTestServer(({ url }) => (url === '/web-1.2.0.tgz' ? { body: web } : undefined));
  try {
    await withRepository({ auth: user }, async (server, repositories) => {
      server.add('web', '1.2.0', web);
      const download = (access: object, url = `${other.url}/web-1.2.0.tgz`) =>
        repositories.package(url, { url: server.url, access: { ...user, ...access } }, { digest: '' });
      assert.deepEqual(await download({}, `${server.url}/web-1.2.0.tgz`), web);
      await download({});
      assert.equal(other.requests.at(-1)?.headers.authorization, undefined);
      await download({ passCredentials: true });
      assert.match(other.requests.at(-1)?.headers.authorization ?? '', /^Basic /);
      const guarded = await startHelmRepository({ auth: user });
      try {
        const failure = await failureOf(download({}, `${guarded.url}/web-1.2.0.tgz`));
        assert.match(
          failure.message,
          /another host, 127\.0\.0\.1:\d+, which wants credentials; those of .* are not sent/,
        );
        assert.ok(guarded.requests.every(({ headers }) => headers.authorization === undefined));
      } finally {
        await guarded.close();
      }
      server.behaviour.answers = { '/moved.tgz': { status: 302, headers: { location: `${other.url}/web-1.2.0.tgz` } } };
      assert.deepEqual(await download({ passCredentials: true }, `${server.url}/moved.tgz`), web);
      assert.equal(other.requests.at(-1)?.headers.authorization, undefined, 'a redirect takes no credentials along');
    });
  } finally {
    await other.close();
  }
});

test('with oneLoopback the ports of this machine are one host; any other host stays another one', async () => {
  const guarded = await startHelmRepository({ auth: user });
  try {
    guarded.add('web', '1.2.0', web);
    const repositories = new HelmRepositories({ http: new HttpClient({ attempts: 1 }), oneLoopback: true });
    const url = `${guarded.url}/web-1.2.0.tgz`;
    const download = (repository: string) =>
      repositories.package(url, { url: repository, access: { ...user } }, { digest: '' });
    for (const home of ['https://localhost:9444/charts', 'http://127.0.0.2:1', 'http://[::1]:8080'])
      assert.deepEqual(await download(home), web, home);
    const before = guarded.requests.length;
    for (const home of [
      'https://charts.example.com',
      'http://127.0.0.1.example.com',
      'http://localhost.example.com',
      'http://10.0.0.1',
    ])
      assert.match((await failureOf(download(home))).message, /are not sent to other hosts/, home);
    assert.ok(guarded.requests.slice(before).every(({ headers }) => headers.authorization === undefined));
  } finally {
    await guarded.close();
  }
});

test('a refused credential says whose it was and what was asked, never the secret', () =>
  withRepository({ auth: { username: 'robot', password: 'right' } }, async (server, repositories) => {
    const access = { ...user, from: 'Secret charts-repo' };
    const failure = await failureOf(
      repositories.index({ url: `${server.url.replace('//', `//robot:${secret}@`)}`, access }),
    );
    assert.equal(failure.diagnosis.code, 'RegistryCredentialRefused');
    assert.match(failure.message, /user "robot" from Secret charts-repo/);
    assert.equal(failure.goMessage, `failed to fetch ${server.url}/index.yaml : 401 Unauthorized`);
  }));

test('a package is what the index says, and is kept by its digest whatever happens to the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-archives-'));
  try {
    await withRepository({}, async (server) => {
      server.add('web', '1.2.0', web);
      const archives = new ArchiveCache(folder);
      const repositories = new HelmRepositories({ http: new HttpClient({ attempts: 1 }), archives });
      const url = `${server.url}/web-1.2.0.tgz`;
      const repository = { url: server.url, access: {} };
      const download = (digest = sha256(web)) => repositories.package(url, repository, { digest });
      await download();
      await download(`sha256:${sha256(web)}`);
      assert.equal(server.requests.length, 1, 'the second was kept');
      await writeFile(archives.path(sha256(web)), 'damaged');
      assert.deepEqual(await download(), web);
      await rm(folder, { recursive: true });
      assert.deepEqual(await download(), web);
      assert.deepEqual(
        (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp')),
        [],
      );
      const failure = await failureOf(download(sha256(Buffer.from('other'))));
      assert.equal(failure.diagnosis.code, 'ChartDigestMismatch');
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('TLS: an unknown authority is refused, a given one is believed, a client certificate is shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-tls-'));
  try {
    const tls = makeCertificate(folder);
    const server = await startHelmRepository({ tls: { ...tls, clientCa: tls.cert } });
    try {
      server.add('web', '1.2.0', web);
      const repositories = new HelmRepositories({ http: new HttpClient({ attempts: 1 }) });
      const read = (access: object) => repositories.index({ url: server.url, access });
      assert.equal((await failureOf(read({}))).diagnosis.code, 'RegistryCertificateInvalid');
      assert.match((await failureOf(read({}))).goMessage, /x509: certificate signed by unknown authority/);
      await failureOf(read({ ca: tls.cert }));
      const { index } = await read({ ca: tls.cert, cert: tls.cert, key: tls.key });
      assert.equal(index.entries.size, 1);
      await read({ insecure: true, cert: tls.cert, key: tls.key });
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('references of an index are relative to its folder', () => {
  assert.equal(resolveReference('http://h/charts', 'a.tgz'), 'http://h/charts/a.tgz');
  assert.equal(resolveReference('http://h/charts/?token=1', 'sub/a.tgz'), 'http://h/charts/sub/a.tgz?token=1');
  assert.equal(resolveReference('http://h/charts', '/a.tgz'), 'http://h/a.tgz');
  assert.equal(resolveReference('http://h/charts', 'https://o/a.tgz'), 'https://o/a.tgz');
  assert.equal(resolveReference('http://h/charts', 'oci://o/a:1'), 'oci://o/a:1');
});
