import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { getOption } from '@bufbuild/protobuf';
import { httpRule, services } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { SignJWT } from 'jose';
import { needsIdentity } from '../../packages/serve/server/rpc/dispatcher.ts';
import { startTestServer, type TestServer } from '../../packages/serve/server/testing/start-test-server.ts';

interface Route {
  readonly verb: string;
  readonly path: string;
}

/** Routes of our own API; a route of the source that none of these is fails the test below. */
const ownRoutes: readonly Route[] = [
  { verb: 'GET', path: '/api/tiphys/v1/repositories' },
  { verb: 'GET', path: '/api/tiphys/v1/rollouts' },
  { verb: 'GET', path: '/api/tiphys/v1/rollouts/shop/web' },
  { verb: 'POST', path: '/api/tiphys/v1/rollouts/shop/web/promote' },
  { verb: 'GET', path: '/api/v1/namespace' },
  { verb: 'GET', path: '/api/v1/version' },
  { verb: 'GET', path: '/api/v1/rollouts/shop/info' },
  { verb: 'GET', path: '/api/v1/rollouts/shop/info/watch' },
  { verb: 'GET', path: '/api/v1/rollouts/shop/web/info' },
  { verb: 'GET', path: '/api/v1/rollouts/shop/web/info/watch' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/restart' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/promote' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/abort' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/retry' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/undo/1' },
  { verb: 'PUT', path: '/api/v1/rollouts/shop/web/set/web/example.com/web/2' },
  { verb: 'GET', path: '/api/tiphys/v1/workflows' },
  { verb: 'GET', path: '/api/tiphys/v1/workflows/shop/build' },
  { verb: 'GET', path: '/api/tiphys/v1/workflows/shop/build/nodes/build-1' },
  // every route below it: workflow-pages.test.ts
  { verb: 'GET', path: '/api/tiphys/v1/flow/api/v1/workflows/shop' },
  { verb: 'GET', path: '/api/tiphys/v1/notifications' },
  { verb: 'POST', path: '/api/tiphys/v1/notifications/try' },
  { verb: 'GET', path: '/api/tiphys/v1/applications/web/renders' },
  { verb: 'GET', path: '/api/tiphys/v1/applications/web/windows' },
  { verb: 'POST', path: '/api/tiphys/v1/applications/web/plan' },
  { verb: 'POST', path: '/api/tiphys/v1/applications/web/promote' },
  { verb: 'POST', path: '/api/tiphys/v1/applications/preview' },
  { verb: 'GET', path: '/api/tiphys/v1/applicationsets/all/preview' },
  { verb: 'POST', path: '/api/tiphys/v1/applicationsets/all/preview' },
  { verb: 'GET', path: '/api/tiphys/v1/applicationsets/all/elements' },
  { verb: 'POST', path: '/api/tiphys/v1/applicationsets/all/confirm-deletions' },
  { verb: 'GET', path: '/api/tiphys/v1/events/sources' },
  { verb: 'GET', path: '/api/tiphys/v1/events/sensors' },
  { verb: 'GET', path: '/api/tiphys/v1/events/ways' },
  { verb: 'GET', path: '/api/tiphys/v1/events/flow' },
  { verb: 'GET', path: '/api/tiphys/v1/events/ways/shop/one' },
  { verb: 'POST', path: '/api/tiphys/v1/events/send' },
  { verb: 'POST', path: '/api/tiphys/v1/events/replay' },
  { verb: 'GET', path: '/api/tiphys/v1/projects/default/rulings' },
  { verb: 'GET', path: '/api/tiphys/v1/projects/default/windows' },
  { verb: 'GET', path: '/api/tiphys/v1/preview' },
  { verb: 'GET', path: '/api/tiphys/v1/history' },
  { verb: 'GET', path: '/api/tiphys/v1/history/changes' },
  { verb: 'GET', path: '/api/tiphys/v1/upgrade' },
  { verb: 'POST', path: '/api/tiphys/v1/upgrade/audit' },
  { verb: 'GET', path: '/api/tiphys/v1/self-management' },
  { verb: 'POST', path: '/api/tiphys/v1/self-management/accept' },
  { verb: 'POST', path: '/api/tiphys/v1/self-management/take-back' },
];

const server = join(import.meta.dirname, '../../packages/serve/server');
const methods = Object.values(services).flatMap((service) =>
  service.methods.map((method) => ({ method, path: `/${service.typeName}/${method.name}` })),
);

/** Routes of the REST gateway, as the protobuf definitions have them, with a name for every variable. */
const restRoutes: readonly (Route & { readonly method: string })[] = methods.flatMap(({ method, path }) => {
  const rule = getOption(method, httpRule);
  return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
    pattern.case === undefined
      ? []
      : [
          {
            verb: pattern.case.toUpperCase(),
            path: String(pattern.value).replace(/\{[^}]+\}/g, 'shop'),
            method: path,
          },
        ],
  );
});

/** Tokens that nobody may be let in with, by what is wrong with them. */
async function badTokens({ client, login }: TestServer): Promise<Record<string, string>> {
  const secret = await client.get<KubeObject & { data: Record<string, string> }>({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'argocd',
    name: 'argocd-secret',
  });
  const key = Buffer.from(secret.data['server.secretkey'] ?? '', 'base64');
  const now = Math.floor(Date.now() / 1000);
  const sign = (claims: Record<string, unknown>, by: Uint8Array = key) =>
    new SignJWT({ iss: 'argocd', sub: 'admin:login', iat: now, nbf: now, exp: now + 3600, jti: 'one', ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(by);
  const good = (await login()).split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const admin = Buffer.from(JSON.stringify({ iss: 'argocd', sub: 'admin', exp: now + 3600 })).toString('base64url');
  return {
    'of three dots': 'a.b.c',
    'without an algorithm': `${none}.${admin}.`,
    'without an algorithm, signed': `${none}.${admin}.${good[2]}`,
    'with other claims': `${good[0]}.${admin}.${good[2]}`,
    'of another key': await sign({}, Buffer.alloc(32, 7)),
    'that has expired': await sign({ iat: now - 7200, exp: now - 3600 }),
    'that is not valid yet': await sign({ nbf: now + 3600 }),
    'of another issuer': await sign({ iss: 'https://idp.example' }),
    'of an account that is not there': await sign({ sub: 'ghost:login' }),
    'of an API key that was not made': await sign({ sub: 'admin:apiKey', exp: undefined }),
    'of a role of no project': await sign({ sub: 'proj:shop:deployer' }),
    'whose subject is nobody': await sign({ sub: '' }),
  };
}

/** Status of a gRPC call with an empty message. */
async function grpcStatus(session: ReturnType<typeof connect>, path: string, token?: string): Promise<number> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
    ...(token === undefined ? {} : { token }),
  });
  stream.on('error', () => undefined);
  stream.end(Buffer.alloc(5));
  return await new Promise<number>((resolve, reject) => {
    const look = (found: Record<string, unknown>) => {
      if (found['grpc-status'] === undefined) return;
      stream.close();
      resolve(Number(found['grpc-status']));
    };
    stream.on('response', look);
    stream.on('trailers', look);
    stream.on('close', () => reject(new Error(`${path}: closed without a status`)));
    stream.resume();
  });
}

describe('Authorisation matrix', () => {
  test('knows every route of our own API', () => {
    const samples = ownRoutes.map(({ path }) => path);
    const missing: string[] = [];
    for (const file of ['start-server.ts', ...globSync('http/*.ts', { cwd: server })]) {
      if (file.endsWith('.test.ts')) continue;
      const text = readFileSync(join(server, file), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
      for (const [, literal = ''] of text.matchAll(/'(\/api\/tiphys\/[^']*)'/g))
        if (!samples.some((path) => path === literal || path.startsWith(`${literal}/`)))
          missing.push(`${file}: ${literal}`);
      for (const [, source = ''] of text.matchAll(/\/(\^\\\/api\\\/tiphys\\\/.*\$)\//g))
        if (!samples.some((path) => new RegExp(source).test(path))) missing.push(`${file}: ${source}`);
    }
    assert.deepEqual(missing, []);
  });

  test('lets no bad token in by gRPC, whatever the method', async (t) => {
    const world = await startTestServer(t);
    const session = connect(world.server.url);
    t.after(() => session.destroy());
    const tokens = { ...(await badTokens(world)), 'that is not there': undefined };
    assert.ok(methods.length > 80, String(methods.length));
    const letIn: string[] = [];
    for (const { path } of methods)
      for (const [what, token] of Object.entries(tokens)) {
        if (!needsIdentity(path)) continue;
        const status = await grpcStatus(session, path, token);
        if (status !== 16) letIn.push(`${path} with a token ${what}: ${status}`);
      }
    assert.deepEqual(letIn, []);
  });

  test('lets no bad token in by REST, whatever the route', async (t) => {
    const world = await startTestServer(t);
    const tokens = Object.entries(await badTokens(world));
    assert.ok(restRoutes.length > 80, String(restRoutes.length));
    const guarded = [...restRoutes.filter(({ method }) => needsIdentity(method)), ...ownRoutes];
    const letIn: string[] = [];
    for (const { verb, path } of guarded) {
      const ask = async (token?: string) => {
        const body = ['GET', 'DELETE'].includes(verb) ? {} : { body: '{}' };
        const headers = { 'content-type': 'application/json' };
        return await world.call(path, { method: verb, headers, ...body, ...(token ? { token } : {}) });
      };
      for (const [what, token] of [['that is not there', ''] as const, ...tokens]) {
        const { status, body } = await ask(token);
        if (status !== 401) letIn.push(`${verb} ${path} with a token ${what}: ${status} ${JSON.stringify(body)}`);
      }
    }
    assert.deepEqual(letIn, []);
  });

  test('gives who has no rights nothing but empty lists and what is his own', async (t) => {
    const world = await startTestServer(t);
    await world.configure('argocd-cm', { 'accounts.guest': 'login' });
    await world.configure('argocd-rbac-cm', { 'policy.default': '' });
    const password = 'guests-password-1';
    const admin = await world.login();
    const changed = await world.call('/api/v1/account/password', {
      method: 'PUT',
      token: admin,
      headers: { 'content-type': 'application/json' },
      body: { name: 'guest', currentPassword: world.password, newPassword: password },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const token = await world.login('guest', password);
    const given: string[] = [];
    for (const { verb, path } of [...restRoutes, ...ownRoutes]) {
      // streams without an end, and his own session
      if (/\/stream\/|\/watch|\/logs|\/api\/v1\/session$/.test(path)) continue;
      const body = ['GET', 'DELETE'].includes(verb) ? {} : { body: '{}' };
      const headers = { 'content-type': 'application/json' };
      const { status, body: answer } = await world.call(path, { method: verb, headers, token, ...body });
      const found = 'items' in answer ? (answer.items ?? []) : answer;
      if (status === 200 && Object.keys(found as object).length > 0) given.push(`${verb} ${path}`);
      if (answer.code === 13) given.push(`${verb} ${path}: ${status} ${JSON.stringify(answer)}`);
    }
    assert.deepEqual(
      given.sort(),
      [
        // names of triggers and templates, which argocd tells everybody who is logged in, and no applications
        'GET /api/tiphys/v1/notifications',
        // his own
        'GET /api/v1/account',
        'GET /api/v1/session/userinfo',
        'GET /api/v1/settings',
        'GET /api/v1/settings/plugins',
        'GET /api/version',
      ].sort(),
    );
  });
});
