import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readArchive } from '../../packages/render/helm/chart/archive.ts';
import { HelmError } from '../../packages/render/helm/index.ts';
import { RegistryError } from '../../packages/sources/registry/access/registry-error.ts';
import { readLayer } from '../../packages/sources/registry/archive/read-layer.ts';
import { HttpClient } from '../../packages/sources/registry/http/http-client.ts';
import { OciCharts } from '../../packages/sources/registry/oci/oci-charts.ts';
import { parseOciReference } from '../../packages/sources/registry/oci/oci-reference.ts';
import { IndexError, readIndex } from '../../packages/sources/registry/repository/repository-index.ts';
import { type SeenRequest, startTestServer, type TestAnswer } from '../../packages/sources/registry/testing/index.ts';

/** A header of a tar, with its checksum. */
function header(name: string, size: string, type: string): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(name, 0);
  bytes.write('0000644', 100);
  bytes.write(size, 124);
  bytes.fill(' ', 148, 156);
  bytes.write(type, 156);
  bytes.write('ustar', 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

test('archives whose files have odd sizes end, and are refused', () => {
  const limits = { bytes: 1 << 20, files: 1000 };
  for (const size of ['-2000', '-0000000001', '0x10', '1e3', '7 7', '99'])
    for (const type of ['0', '5', 'L', 'x', 'g']) {
      const tar = Buffer.concat([header('chart/first', '0', '0'), header('chart/odd', size, type), Buffer.alloc(2048)]);
      const what = `${size} of type ${type}`;
      assert.throws(() => readLayer(tar, limits), RegistryError, what);
      assert.throws(() => readArchive(gzipSync(tar), { size: 1 << 20, files: 1000, depth: 3 }), HelmError, what);
    }
});

test('an index of a Helm repository that is deeper than any is refused, as JSON or as YAML', () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  for (const index of [
    `{"apiVersion":"v1","entries":${deep('[', ']')}}`,
    `{"apiVersion":"v1","entries":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
  ])
    assert.throws(() => readIndex(Buffer.from(index), 1 << 24), IndexError);
  assert.throws(() => readIndex(Buffer.from(`entries: ${deep('[', ']')}`), 1 << 24), /max depth/);
});

/** What a registry that answers so makes of each call; fails for what is no failure of the registry. */
async function called(answer: (request: SeenRequest) => TestAnswer): Promise<void> {
  const server = await startTestServer(answer);
  const reference = parseOciReference(`oci://${server.host}/team/chart:1.0.0`);
  const access = { plainHttp: true };
  const charts = new OciCharts(new HttpClient({ attempts: 1 }));
  try {
    for (const call of [
      () => charts.registry.ping(server.host, access),
      () => charts.versions(reference, access),
      () => charts.resolve(reference, access),
      () => charts.registry.manifest(reference, access),
      () => charts.pull(reference, access, { maxBytes: 1 << 20 }),
    ])
      await call().catch((error: unknown) => assert.ok(error instanceof RegistryError, String(error)));
  } finally {
    await server.close();
  }
}

test('a registry that answers with odd JSON gets failures of the registry', async () => {
  const detail = `${'['.repeat(4000)}${']'.repeat(4000)}`;
  const bodies = [
    ...['null', '5', '"text"', '[]', '{}', '', '{', '{"errors":null}', '{"errors":{}}', '{"errors":[null,5,[],"x"]}'],
    ...['{"errors":[{"code":5,"message":{}}]}', `{"errors":[{"code":"X","message":"m","detail":${detail}}]}`],
    ...['{"tags":null}', '{"tags":{}}', '{"tags":[null,5,{},"1.0.0"]}', '{"config":5,"layers":{"length":9}}'],
    '{"__proto__":{"config":1},"layers":[null]}',
  ];
  for (const status of [200, 400, 401, 403, 500])
    for (const body of bodies) await called(() => ({ status, headers: { 'content-type': 'application/json' }, body }));
});

test('a token service that answers with odd JSON gives no token', async () => {
  for (const body of ['null', '[]', '5', '{"token":null}', '{"token":{}}', '{"token":"a\\r\\nb"}', '{'])
    await called(({ url, headers }) =>
      url.startsWith('/token')
        ? { body }
        : { status: 401, headers: { 'www-authenticate': `Bearer realm="http://${headers.host}/token"` } },
    );
});

test('a page with a million tags is too many', async () => {
  const body = `{"tags":[${'"a",'.repeat(1_000_000)}"b"]}`;
  const server = await startTestServer(() => ({ body }));
  try {
    const charts = new OciCharts(new HttpClient({ attempts: 1 }));
    const reference = parseOciReference(`oci://${server.host}/team/chart:1.0.0`);
    await assert.rejects(charts.versions(reference, { plainHttp: true }), /more than 100000 tags/);
  } finally {
    await server.close();
  }
});
