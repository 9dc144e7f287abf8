import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchiveCache, sha256 } from '../access/archive-cache.ts';
import { RegistryError } from '../access/registry-error.ts';
import { HttpClient } from '../http/http-client.ts';
import {
  type OciRegistryBehaviour,
  type OciRegistryServer,
  packageChart,
  startOciRegistry,
  startTestServer,
} from '../testing/index.ts';
import { matchingVersion, OciCharts } from './oci-charts.ts';
import { parseOciReference } from './oci-reference.ts';

const secret = 'MARKER-secret';
const user = { username: 'robot', password: secret };
const plain = { plainHttp: true };
const limit = { maxBytes: 1 << 20 };
const web = packageChart('web', '1.2.0');

async function withRegistry(
  behaviour: OciRegistryBehaviour,
  body: (server: OciRegistryServer, charts: OciCharts) => Promise<void>,
): Promise<void> {
  const server = await startOciRegistry(behaviour);
  try {
    await body(server, new OciCharts(new HttpClient({ attempts: 1 })));
  } finally {
    await server.close();
  }
}

/** The failure, after a look that no secret is in it. */
async function failureOf(work: Promise<unknown>): Promise<RegistryError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof RegistryError, String(error));
  assert.ok(!JSON.stringify(error.diagnosis).includes(secret) && !error.goMessage.includes(secret), 'a secret is told');
  return error;
}

for (const kind of ['basic', 'bearer'] as const) {
  test(`a chart is pulled with ${kind} authentication`, () =>
    withRegistry({ auth: { kind, ...user } }, async (server, charts) => {
      const digest = server.pushChart('charts/web', '1.2.0', web);
      const pulled = await charts.pull(
        parseOciReference(`oci://${server.host}/charts/web:1.2.0`),
        { ...plain, ...user },
        limit,
      );
      assert.deepEqual(pulled.archive, web);
      assert.equal(pulled.digest, digest);
      assert.equal(pulled.annotations['org.opencontainers.image.version'], '1.2.0');
    }));
}

test('one token serves all requests of its scope, and is asked for again when it is refused', () =>
  withRegistry({ auth: { kind: 'bearer', ...user } }, async (server, charts) => {
    server.pushChart('charts/web', '1.2.0', web);
    const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
    await charts.pull(reference, { ...plain, ...user }, limit);
    const tokens = () => server.requests.filter(({ url }) => url.startsWith('/token')).length;
    assert.equal(tokens(), 1);
    server.revokeTokens();
    await charts.pull(reference, { ...plain, ...user }, limit);
    assert.equal(tokens(), 2);
    const asked = server.requests.find(({ url }) => url.startsWith('/token'))?.url ?? '';
    assert.equal(new URL(asked, server.url).searchParams.get('scope'), 'repository:charts/web:pull');
    assert.equal(new URL(asked, server.url).searchParams.get('service'), 'registry.test');
  }));

test('an identity token is taken to the token service in place of a password', () =>
  withRegistry({ auth: { kind: 'bearer', ...user, identityToken: 'refresh-me' } }, async (server, charts) => {
    server.pushChart('charts/web', '1.2.0', web);
    const access = { ...plain, identityToken: 'refresh-me' };
    const pulled = await charts.pull(parseOciReference(`${server.host}/charts/web:1.2.0`), access, limit);
    assert.deepEqual(pulled.archive, web);
  }));

test('versions are strict, newest first, over all pages, with the plus back', () =>
  withRegistry({ pageSize: 2 }, async (server, charts) => {
    for (const version of ['1.2.0', '0.9.0', '2.0.0-rc.1', '1.10.0+build.5'])
      server.pushChart('charts/web', version, web);
    server.push('charts/web', 'latest', { layers: [] });
    server.push('charts/web', 'v3.0.0', { layers: [] });
    const repository = parseOciReference(`${server.host}/charts/web`);
    assert.deepEqual(await charts.versions(repository, plain), ['2.0.0-rc.1', '1.10.0+build.5', '1.2.0', '0.9.0']);
  }));

test('a range takes the newest version in it; an exact one goes first', () => {
  const place = parseOciReference('registry.test/charts/web');
  const versions = ['2.0.0-rc.1', '1.10.0+build.5', '1.2.0'];
  assert.equal(matchingVersion(versions, '^1', place), '1.10.0+build.5');
  assert.equal(matchingVersion(versions, '', place), '1.10.0+build.5');
  assert.equal(matchingVersion(versions, '2.0.0-rc.1', place), '2.0.0-rc.1');
  assert.throws(() => matchingVersion(versions, '^3', place), /could not locate a version matching|has no version \^3/);
});

test('a missing chart and a missing version are told apart from a refused credential', () =>
  withRegistry({ auth: { kind: 'bearer', ...user } }, async (server, charts) => {
    server.pushChart('charts/web', '1.2.0', web);
    const access = { ...plain, ...user, from: 'Secret charts-repo' };
    const gone = await failureOf(charts.pull(parseOciReference(`${server.host}/charts/web:9.9.9`), access, limit));
    assert.equal(gone.diagnosis.code, 'ChartNotFound');
    assert.equal(
      gone.goMessage,
      `failed to perform "FetchReference" on source: ${server.host}/charts/web:9.9.9: not found`,
    );
    const wrong = { ...access, password: `${secret}-wrong` };
    const refused = await failureOf(charts.pull(parseOciReference(`${server.host}/charts/web:1.2.0`), wrong, limit));
    assert.equal(refused.diagnosis.code, 'RegistryCredentialRefused');
    assert.equal(refused.diagnosis.cause, 'R12');
    const evidence = Object.fromEntries(refused.diagnosis.evidence.map(({ name, value }) => [name, value]));
    assert.equal(evidence.credentials, 'user "robot" from Secret charts-repo');
    assert.equal(evidence.scope, 'repository:charts/web:pull');
    assert.equal(evidence.answer, '401 Unauthorized');
  }));

test('bytes that are not what their digest says are refused, wherever they come from', () =>
  withRegistry({}, async (server, charts) => {
    const digest = server.pushChart('charts/web', '1.2.0', web);
    const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
    server.behaviour.answers = {
      '/v2/charts/web/manifests/1.2.0': { headers: { 'docker-content-digest': digest }, body: '{"layers":[]}' },
    };
    assert.equal((await failureOf(charts.pull(reference, plain, limit))).diagnosis.code, 'ChartDigestMismatch');
    delete server.behaviour.answers;
    const other = packageChart('web', '6.6.6');
    const manifest = await charts.registry.manifest(reference, plain);
    const layer = manifest?.layers[0]?.digest ?? '';
    const forged = Buffer.concat([other, Buffer.alloc(web.length)]).subarray(0, web.length);
    server.behaviour.answers = { [`/v2/charts/web/blobs/${layer}`]: { body: forged } };
    assert.equal((await failureOf(charts.pull(reference, plain, limit))).diagnosis.code, 'ChartDigestMismatch');
  }));

test('a tag whose digest is not told, or an artifact named by digest, is checked all the same', () =>
  withRegistry({ withoutDigestHeader: true }, async (server, charts) => {
    const digest = server.pushChart('charts/web', '1.2.0', web);
    const byTag = await charts.pull(parseOciReference(`${server.host}/charts/web:1.2.0`), plain, limit);
    assert.equal(byTag.digest, digest);
    const byDigest = await charts.pull(parseOciReference(`${server.host}/charts/web@${digest}`), plain, limit);
    assert.deepEqual(byDigest.archive, web);
  }));

test('CVE-2026-48978 and kin: credentials do not follow a redirect, a realm or a page to another host', async () => {
  const evil = await startTestServer(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }));
  try {
    const access = { ...plain, ...user };
    await withRegistry({ auth: { kind: 'basic', ...user } }, async (server, charts) => {
      server.pushChart('charts/web', '1.2.0', web);
      const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
      server.behaviour.blobs = evil.url;
      await failureOf(charts.pull(reference, access, limit));
      server.behaviour.answers = {
        '/v2/charts/web/tags/list': {
          headers: { link: `<${evil.url}/v2/charts/web/tags/list>; rel="next"` },
          body: '{"tags":[]}',
        },
      };
      assert.match((await failureOf(charts.versions(reference, access))).message, /another host/);
    });
    await withRegistry({ auth: { kind: 'bearer', ...user } }, async (server, charts) => {
      server.pushChart('charts/web', '1.2.0', web);
      const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
      for (const realm of [
        evil.url.replace('127.0.0.1', 'localhost'),
        'file:///etc/passwd',
        'https://169.254.169.254/token',
        'not a url',
      ]) {
        server.behaviour.realm = realm;
        assert.equal(
          (await failureOf(charts.pull(reference, access, limit))).diagnosis.code,
          'RegistryAddressUnsafe',
          realm,
        );
      }
    });
    assert.ok(evil.requests.length > 0);
    for (const { headers } of evil.requests) assert.equal(headers.authorization, undefined);
  } finally {
    await evil.close();
  }
});

test('blobs may lie on another host, which gets no credentials; a package that is kept is not pulled again', async () => {
  const files = new Map<string, Uint8Array>();
  const storage = await startTestServer(({ url }) => {
    const body = files.get(url.split('/').at(-1) ?? '');
    return body ? { body } : undefined;
  });
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-oci-'));
  try {
    await withRegistry({ auth: { kind: 'bearer', ...user }, blobs: storage.url }, async (server) => {
      server.pushChart('charts/web', '1.2.0', web);
      const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
      const charts = new OciCharts(new HttpClient(), new ArchiveCache(folder));
      const access = { ...plain, ...user };
      const config = Buffer.from('{"apiVersion":"v2","name":"web","version":"1.2.0"}');
      for (const data of [web, config]) files.set(`sha256:${sha256(data)}`, data);
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual((await charts.pull(reference, access, limit)).archive, web);
    });
    const packages = storage.requests.filter(({ url }) => url.endsWith(sha256(web)));
    assert.equal(packages.length, 1);
    for (const { headers } of storage.requests) assert.equal(headers.authorization, undefined);
  } finally {
    await storage.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('what is endless or larger than it says is cut at its bound', () =>
  withRegistry({}, async (server, charts) => {
    server.pushChart('charts/web', '1.2.0', web);
    const reference = parseOciReference(`${server.host}/charts/web:1.2.0`);
    const small = await failureOf(charts.pull(reference, plain, { maxBytes: 100 }));
    assert.equal(small.diagnosis.code, 'RegistryAnswerTooLarge');
    server.behaviour.answers = { '/v2/charts/web/tags/list': { endless: true } };
    assert.equal((await failureOf(charts.versions(reference, plain))).diagnosis.code, 'RegistryAnswerTooLarge');
  }));

test('an artifact that is no chart, and manifests of nonsense, are told', () =>
  withRegistry({}, async (server, charts) => {
    server.push('charts/web', '1.0.0', { layers: [] });
    const reference = parseOciReference(`${server.host}/charts/web:1.0.0`);
    assert.match(
      (await failureOf(charts.pull(reference, plain, limit))).goMessage,
      /manifest does not contain minimum number of descriptors \(2\), descriptors found: 1/,
    );
    for (const body of ['', '[]', '{"tags":7}', '<html>']) {
      server.behaviour.answers = { '/v2/charts/web/tags/list': { body } };
      assert.equal((await failureOf(charts.versions(reference, plain))).diagnosis.code, 'RegistryAnswerRefused', body);
    }
  }));

test('names that are none are refused before anything is asked', () => {
  for (const name of [
    'web',
    'oci://host',
    'oci://host/Web',
    'oci://host/../x',
    'oci://host/web:a b',
    'oci://h st/web',
    'oci://host/web@sha256:1',
    'oci://user@host/web',
  ]) {
    assert.throws(() => parseOciReference(name), RegistryError, name);
  }
  assert.equal(parseOciReference('oci://host:5000/a/web:1.0.0+x').tag, '1.0.0_x');
});
