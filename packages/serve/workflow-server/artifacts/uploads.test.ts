import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { openStore } from '@tiphys/artifacts';
import { startLocalStore } from '@tiphys/workflow-executor';
import { giveArtifacts } from './give-artifacts.ts';
import { UploadServer } from './serve-uploads.ts';
import { readUpload } from './upload.ts';
import { checkUploadedKey, uploadedKey } from './uploaded-key.ts';

const id = '12345678-1234-4234-8234-123456789012';

/** A server of uploads for two templates: `keyed` says where its artifact is, `usual` leaves it to the repository. */
async function begin(
  t: TestContext,
  { may = () => true, env = {} }: { may?: (verb: string) => boolean; env?: object } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-uploads-'));
  const store = await startLocalStore(folder);
  const artifacts = { keyed: [{ name: 'in', s3: { ...store.repository.s3, key: 'old' } }], usual: [{ name: 'in' }] };
  const template = (name: string) =>
    Object.hasOwn(artifacts, name)
      ? { metadata: { name, namespace: 'n' }, spec: { arguments: { artifacts: artifacts[name as 'usual'] } } }
      : undefined;
  const client = {
    find: async ({ kind, name }: { kind: string; name: string }) =>
      kind === 'WorkflowTemplate' ? template(name) : undefined,
    create: async ({ spec }: { spec: { resourceAttributes: { verb: string } } }) => ({
      status: { allowed: may(spec.resourceAttributes.verb) },
    }),
  };
  const call = { client, signal: new AbortController().signal };
  const parts = {
    settings: { artifactRepository: store.repository, artifactDrivers: [], instanceId: '' },
    env,
    log: () => undefined,
  } as never;
  const uploads = new UploadServer(parts, { admit: async () => call as never });
  const server = createServer((request, response) => {
    void uploads.serve(request.url ?? '/', request as never, response as never);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const port = (server.address() as AddressInfo).port;
  return {
    call: call as never,
    parts,
    async send(path: string, body: FormData | string | ReadableStream, init: RequestInit = {}) {
      const answer = await fetch(`http://127.0.0.1:${port}/upload-artifacts/${path}`, {
        method: 'POST',
        body,
        ...init,
      });
      return { status: answer.status, text: await answer.text() };
    },
    async stored(key: string) {
      const object = await openStore(
        { s3: { ...store.repository.s3, key } },
        { ambient: false, secret: async () => '' },
      );
      const content = await text(await object.read());
      await object.close();
      return content;
    },
  };
}

function form(content: string, name = 'data.txt', field = 'file'): FormData {
  const data = new FormData();
  data.set(field, new Blob([content]), name);
  return data;
}

for (const template of ['keyed', 'usual'])
  test(`a file for an artifact of a template (${template}) is stored under a key of its own, which submit takes`, async (t) => {
    const { send, stored, call, parts } = await begin(t);
    const content = 'x'.repeat(300_000);
    const answer = await send(`n/${template}/in`, form(content, '..\\..\\evil/../data.txt'));
    assert.equal(answer.status, 200, answer.text);
    const { name, key } = JSON.parse(answer.text) as { name: string; key: string };
    assert.equal(name, 'in');
    assert.match(key, /^uploads\/n\/[0-9a-f-]{36}\/data\.txt$/);
    assert.equal(await stored(key), content);
    const workflow = { metadata: {}, spec: { workflowTemplateRef: { name: template } } } as never as {
      spec: { arguments: { artifacts: { name: string; s3: { key: string; bucket: string } }[] } };
    };
    const given = { namespace: 'n', workflow: workflow as never };
    await giveArtifacts(parts, call, { ...given, artifacts: [`in=${key}`] });
    const [artifact] = workflow.spec.arguments.artifacts;
    assert.equal(artifact?.s3.key, key);
    assert.ok(artifact?.s3.bucket);
    await assert.rejects(
      giveArtifacts(parts, call, { ...given, artifacts: [`out=${key}`] }),
      /artifact override\(s\) matched no artifact: out/,
    );
    await assert.rejects(giveArtifacts(parts, call, { ...given, artifacts: ['in=other/key'] }), /must start with/);
  });

test('what is not there, not permitted, no form or too large is refused with a reason', async (t) => {
  const { send } = await begin(t, { env: { ARGO_SERVER_MAX_ARTIFACT_UPLOAD_BYTES: '1000' } });
  const refused = async (path: string, body: FormData | string | ReadableStream, init?: RequestInit) => {
    const { status, text: told } = await send(path, body, init);
    return `${status} ${told.trim()}`;
  };
  assert.match(await refused('n/none/in', form('a')), /^404 WorkflowTemplate "none" not found/);
  assert.match(await refused('n/keyed/out', form('a')), /^404 Artifact 'out' not found in WorkflowTemplate n\/keyed/);
  assert.match(await refused('n/keyed', form('a')), /^400 Invalid path/);
  assert.match(await refused('n/keyed/in', 'text'), /^400 Failed to parse multipart form/);
  assert.match(await refused('n/keyed/in', form('a', 'f', 'other')), /^400 Failed to get file from form/);
  assert.match(await refused('n/keyed/in', form('a', '..')), /^400 Invalid filename/);
  assert.match(await refused('n/keyed/in', form('x'.repeat(2000))), /^413 .*ARGO_SERVER_MAX_ARTIFACT_UPLOAD_BYTES/);
  const chunked = new Blob([form('a') as never]).stream();
  assert.match(
    await refused('n/keyed/in', chunked, {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      duplex: 'half',
    } as never),
    /^400 Failed to parse multipart form: Unexpected end/,
  );
  assert.match(
    await refused('n/keyed/in', form('a'), { headers: { origin: 'https://elsewhere.example' } }),
    /^403 the upload comes from a page of https:\/\/elsewhere.example/,
  );
  const strangers = await begin(t, { may: (verb) => verb !== 'create' });
  assert.equal((await strangers.send('n/keyed/in', form('a'))).status, 403);
});

test('an upload whose connection ends early is not stored', async (t) => {
  let saved = 0;
  const ended = Promise.withResolvers<unknown>();
  const server = createServer((request) => {
    readUpload(request, {
      most: 1 << 20,
      save: async (file) => {
        for await (const chunk of file) saved += (chunk as Buffer).length;
        return 'whole';
      },
    }).then(ended.resolve, ended.reject);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  socket.write(
    `POST / HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n${part}${'x'.repeat(500)}`,
    () => socket.destroy(),
  );
  await assert.rejects(ended.promise);
  assert.ok(saved <= 500);
});

test('keys of uploads are those of the namespace alone', () => {
  assert.equal(uploadedKey('n', id, 'a b.zip'), `uploads/n/${id}/a b.zip`);
  for (const [key, told] of [
    [`uploads/other/${id}/f`, /must start with/],
    [`other/n/${id}/f`, /must start with/],
    ['uploads/n/not-a-uuid/f', /UUID/],
    [`uploads/n/${id}/a..b/f`, /must not contain/],
    [`uploads/n/${id}/a/b`, /four parts/],
    [`uploads/n/${id}/`, /four parts/],
    [`uploads/n/${id}/.`, /four parts/],
  ] as const)
    assert.throws(() => checkUploadedKey('n', key), told, key);
});
