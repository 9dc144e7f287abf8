import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { getOption } from '@bufbuild/protobuf';
import { httpRule, services } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { startSandbox } from '@tiphys/sandbox';
import fc from 'fast-check';
import { readArchive } from '../../packages/render/helm/chart/archive.ts';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

/** Few in the gate, many by `npm run fuzz`; a request takes far longer than a call. */
const numRuns = Math.max(40, Math.floor(Number(process.env['FUZZ_RUNS'] ?? 200) / 10));
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 14);
const check = (property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>) =>
  fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns, seed });

const names = ['constructor', '__proto__', 'toString', '..', '/', '\0', '{{', '*', '$(x)', 'é', '\ud800', '-', ''];
const text = fc.oneof(fc.string(), fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 12 }));
const fields = fc.constantFrom(
  ...['metadata', 'name', 'namespace', 'spec', 'source', 'sources', 'repoURL', 'path', 'helm', 'parameters', 'project'],
  ...['destination', 'server', 'labels', 'annotations', 'kind', 'apiVersion', 'data', 'status', 'items', 'operation'],
  ...['patch', 'patchType', 'application', 'upsert', 'config', 'containers', 'template', 'ownerReferences', 'rules'],
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 2 }),
    text,
    fc.dictionary(fc.oneof({ weight: 5, arbitrary: fields }, { weight: 1, arbitrary: text }), tie('body')),
    fc.array(tie('body'), { maxLength: 4 }),
  ),
}));
/** What is sent as JSON, some of it cut or with other bytes in it. */
const json = fc.tuple(body, fc.nat(200), fc.constantFrom('whole', 'cut', 'changed')).map(([value, at, how]) => {
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  if (how === 'cut') return bytes.subarray(0, at);
  if (how === 'changed' && bytes.length > 0) bytes[at % bytes.length] = 0xff;
  return bytes;
});

const methods = Object.values(services).flatMap((service) =>
  service.methods.map((method) => ({ method, path: `/${service.typeName}/${method.name}` })),
);
const routes = methods.flatMap(({ method }) => {
  const rule = getOption(method, httpRule);
  return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
    pattern.case === undefined || /stream|watch|logs|session/.test(String(pattern.value))
      ? []
      : [{ verb: pattern.case.toUpperCase(), path: String(pattern.value) }],
  );
});
const own = [
  ...['applications/preview', 'applications/web/plan', 'events/send', 'events/replay', 'notifications/try'],
  ...['rollouts/shop/web/promote', 'applicationsets/all/preview', 'upgrade/audit', 'self-management/accept'],
].map((path) => ({ verb: 'POST', path: `/api/tiphys/v1/${path}` }));

/** Words that say that nobody expected it. */
const unexpected =
  /TypeError|RangeError|SyntaxError|Cannot read|is not a function|is not iterable|undefined \(|native code/;

test('REST bodies, names and queries of any shape are answered, none by a mistake of ours', async (t) => {
  const world = await startTestServer(t, { callRates: { burst: 1e9, perSecond: 1e9 } });
  const token = await world.login();
  await check(
    fc.asyncProperty(fc.constantFrom(...routes, ...own), json, text, text, async (route, sent, name, query) => {
      const path = route.path.replace(/\{[^}]+\}/g, encodeURIComponent(name.toWellFormed()) || 'x');
      const search =
        query === '' ? '' : `?${encodeURIComponent(query.toWellFormed())}=${encodeURIComponent(name.toWellFormed())}`;
      const answer = await fetch(`${world.server.url}${path}${search}`, {
        method: route.verb,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(route.verb === 'GET' ? {} : { body: new Uint8Array(sent) }),
      });
      const told = await answer.text();
      assert.doesNotMatch(told, unexpected, `${route.verb} ${path}${search} ${sent.toString('utf8').slice(0, 300)}`);
    }),
  );
});

test('gRPC messages of any bytes end in a status, and the server goes on', async (t) => {
  const world = await startTestServer(t, { callRates: { burst: 1e9, perSecond: 1e9 } });
  const token = await world.login();
  const session = connect(world.server.url);
  t.after(() => session.destroy());
  const unary = methods.filter(
    ({ method }) => method.methodKind === 'unary' && !/session/i.test(method.parent.typeName),
  );
  const types = fc.constantFrom('application/grpc+proto', 'application/grpc-web+proto', 'application/grpc');
  const flags = fc.constantFrom(0, 0, 0, 1, 2, 0x80);
  await check(
    fc.asyncProperty(
      fc.constantFrom(...unary),
      fc.uint8Array({ maxLength: 300 }),
      types,
      flags,
      async ({ path }, bytes, type, flag) => {
        const head = Buffer.from([flag, 0, 0, 0, 0]);
        head.writeUInt32BE(bytes.length, 1);
        const stream = session.request({
          ':method': 'POST',
          ':path': path,
          'content-type': type,
          te: 'trailers',
          token,
        });
        stream.on('error', () => undefined);
        let told = '';
        const look = (found: Record<string, unknown>) => (told += JSON.stringify(found));
        stream
          .on('response', look)
          .on('trailers', look)
          .on('data', (chunk: Buffer) => (told += chunk.toString()));
        stream.end(Buffer.concat([head, bytes]));
        await new Promise((resolve) => stream.once('close', resolve));
        assert.match(told, /grpc-status|":status":4/, path);
        assert.doesNotMatch(decodeURIComponent(told.replace(/%(?![0-9A-F]{2})/g, '%25')), unexpected, path);
      },
    ),
  );
  assert.equal((await world.call('/api/version')).status, 200);
});

test('tokens of any shape let nobody in', async (t) => {
  const world = await startTestServer(t, { callRates: { burst: 1e9, perSecond: 1e9 } });
  const good = (await world.login()).split('.');
  const part = fc.oneof(
    fc.base64String(),
    fc.constantFrom(...good),
    body.map((value) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url')),
    fc
      .constantFrom('{"alg":"none"}', '{"alg":"HS256"}', '{"alg":"RS256","kid":"../x"}')
      .map((head) => Buffer.from(head).toString('base64url')),
  );
  const printable = fc.oneof(
    fc.tuple(part, part, part).map((parts) => parts.join('.')),
    fc.string().map((value) => value.replace(/[^\x21-\x7e]/g, '')),
    fc.integer({ min: 1, max: 7000 }).map((size) => `${'a'.repeat(size)}.b.c`),
  );
  await check(
    fc.asyncProperty(printable, fc.constantFrom('authorization', 'token', 'cookie'), async (token, header) => {
      if (token === good.join('.')) return;
      const value =
        header === 'authorization' ? `Bearer ${token}` : header === 'cookie' ? `argocd.token=${token}` : token;
      const { status, body: told } = await world.call('/api/v1/applications', { headers: { [header]: value } });
      assert.equal(status, 401, token);
      assert.doesNotMatch(JSON.stringify(told), unexpected, token);
    }),
  );
});

test('the API server of the sandbox answers bodies of any shape, none by a mistake of ours', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const paths = [
    ...['namespaces', 'namespaces/default/pods', 'namespaces/default/configmaps', 'namespaces/default/configmaps/x'],
    ...['namespaces/default/pods/x/exec', 'namespaces/default/serviceaccounts/default/token'],
  ].map((path) => `/api/v1/${path}`);
  const groups = [
    ...['apps/v1/namespaces/default/deployments', 'apps/v1/namespaces/default/deployments/x/scale'],
    ...['apiextensions.k8s.io/v1/customresourcedefinitions', 'rbac.authorization.k8s.io/v1/clusterroles'],
    ...['authorization.k8s.io/v1/subjectaccessreviews', 'authentication.k8s.io/v1/tokenreviews'],
    ...['admissionregistration.k8s.io/v1/validatingadmissionpolicies', 'nowhere.example/v1/x'],
  ].map((path) => `/apis/${path}`);
  const types = fc.constantFrom(
    ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/apply-patch+yaml'],
    ...[
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
      'text/plain',
    ],
  );
  const verbs = fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE');
  await check(
    fc.asyncProperty(
      fc.constantFrom(...paths, ...groups),
      verbs,
      types,
      json,
      text,
      async (path, method, type, sent, query) => {
        const url = `${sandbox.url.replace('https', 'http')}${path}?fieldManager=${encodeURIComponent(query.toWellFormed())}`;
        const answer = await fetch(url, {
          method,
          headers: { 'content-type': type, authorization: `Bearer ${sandbox.config.bearerToken}` },
          body: new Uint8Array(sent),
        });
        const told = await answer.text();
        assert.ok(answer.status !== 500 || !unexpected.test(told), `${method} ${path} ${type} ${sent}: ${told}`);
        assert.doesNotMatch(told, unexpected, `${method} ${path} ${type} ${sent}`);
      },
    ),
  );
});

/** A tar with one file, whose header says what the arguments say. */
function tarOf(name: string, type: string, size: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(512);
  head.write(name.slice(0, 100), 0, 'latin1');
  head.write('0000644\0', 100);
  head.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  head.write('        ', 148);
  head.write(type.slice(0, 1) || '0', 156);
  head.write('../../outside', 157);
  head.write('ustar\0', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([head, content, Buffer.alloc((512 - (content.length % 512)) % 512), Buffer.alloc(1024)]);
}

test('archives of charts of any bytes are read or refused, and hold nothing that leads outside', () => {
  const limits = { size: 1 << 20, files: 100, depth: 3 };
  const name = fc.oneof(
    text,
    fc.constantFrom('x/Chart.yaml', '../x', '/etc/passwd', 'x/../../y', 'x/./a', 'C:\\x', 'x\\..\\y'),
  );
  const size = fc.oneof(fc.nat(2000), fc.constantFrom(0o77777777777, 1 << 21));
  const content = fc.uint8Array({ maxLength: 600 });
  return check(
    fc.property(
      name,
      fc.constantFrom('0', '1', '2', '5', 'L', 'x', 'g', 'K', 'S'),
      size,
      content,
      fc.nat(),
      fc.boolean(),
      (given, type, told, bytes, at, damage) => {
        const packed = gzipSync(tarOf(given, type, told, bytes));
        if (damage) packed[at % packed.length] = (packed[at % packed.length] ?? 0) ^ 0x55;
        let files: ReturnType<typeof readArchive> = [];
        try {
          files = readArchive(packed, limits);
        } catch (error) {
          assert.ok(
            error instanceof DiagnosisError || /Helm/.test(String((error as Error).constructor.name)),
            String((error as Error).stack),
          );
        }
        for (const file of files)
          assert.doesNotMatch(JSON.stringify(file).slice(0, 300), /"(?:name|path)":"(?:\/|\.\.|[^"]*\/\.\.\/)/);
      },
    ),
  );
});

test('trees of Git with any names and modes are listed and read, or refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-fuzz-git-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const repository = join(folder, 'repository');
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  const run = (args: string[], input?: Buffer) =>
    execFileSync('git', ['-C', repository, ...args], { input, env })
      .toString()
      .trim();
  execFileSync('git', ['init', '--quiet', '--bare', repository]);
  const blob = run(['hash-object', '-w', '--stdin'], Buffer.from('../../outside'));
  const empty = run(['hash-object', '-w', '-t', 'tree', '--stdin'], Buffer.alloc(0));
  const git = new GitRepositories({
    cacheDir: join(folder, 'cache'),
    localRepositories: { below: [repository], except: [] },
  });
  t.after(() => git.close());
  const entryName = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '.git',
      '.GIT',
      'git~1',
      'a/b',
      '../x',
      '/x',
      'a\\b',
      '.gitmodules',
      '-x',
      'constructor',
      '__proto__',
      'a\n',
      'é',
      'CON',
    ),
    fc.string({ minLength: 1, maxLength: 8 }),
  );
  const mode = fc.constantFrom('100644', '100755', '120000', '40000', '160000', '0', '777777', 'x');
  const entries = fc.array(fc.tuple(mode, entryName), { minLength: 1, maxLength: 4 });
  let count = 0;
  const few = Math.max(12, Math.floor(numRuns / 5));
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const tree = Buffer.concat(
        list.map(([given, name]) =>
          Buffer.concat([
            Buffer.from(`${given} ${name.replaceAll('\0', '')}\0`),
            Buffer.from(given === '40000' ? empty : blob, 'hex'),
          ]),
        ),
      );
      const oid = run(['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], tree);
      const commit = run(
        ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'],
        Buffer.from(`tree ${oid}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n`),
      );
      count += 1;
      run(['update-ref', `refs/heads/b${count}`, commit]);
      try {
        const opened = await git.open(
          { url: repository },
          (await git.resolve({ url: repository }, `b${count}`, { maxAge: 0 })).commit,
        );
        for await (const entry of opened.list('', { recursive: true })) await opened.read(entry.path).catch(refused);
      } catch (error) {
        refused(error);
      }
    }),
    { numRuns: few, seed },
  );
});

function refused(error: unknown): void {
  assert.ok(error instanceof DiagnosisError, String((error as Error).stack));
}
