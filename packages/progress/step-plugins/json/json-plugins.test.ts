import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ProcessPluginHost } from '../host.ts';
import type { ConfiguredPlugin } from '../process/plugin-config.ts';

const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'shop' } };
const analysisRun = { ...rollout, kind: 'AnalysisRun' };
const context = { pluginName: 'org/step', config: { key: 'a' }, status: { seen: 1 } };

async function hostOf(t: TestContext, plugins: readonly Partial<ConfiguredPlugin>[]): Promise<ProcessPluginHost> {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-json-plugins-'));
  const host = new ProcessPluginHost({
    plugins: plugins.map((plugin) => ({
      ...{ kind: 'step', name: 'org/step', location: '', protocol: 'module', sha256: '' },
      ...{ disabled: false, args: [], headerSecrets: [] },
      ...plugin,
    })) as ConfiguredPlugin[],
    folder,
    environment: {},
    signal: new AbortController().signal,
    headersOf: async (secrets) => Object.fromEntries(secrets.map((name) => ['x-token', name])),
  });
  t.after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });
  return host;
}

async function moduleOf(t: TestContext, source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-json-module-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'plugin.mjs');
  await writeFile(file, source);
  return `file://${file}`;
}

test('an ES module is a step: it gets the Rollout and its own status, and says when to be asked again', async (t) => {
  const location = await moduleOf(
    t,
    `export async function run({ rollout, context }) {
       return { phase: 'Running', message: rollout.metadata.name + context.config.key, requeueAfterSeconds: 20, status: { seen: context.status.seen + 1 } };
     }
     export function abort() { throw new Error('cannot go back'); }`,
  );
  const host = await hostOf(t, [{ location }]);
  await host.prepare();
  const plugin = await host.step('org/step');
  assert.deepEqual(await plugin.run(rollout, context), {
    phase: 'Running',
    message: 'weba',
    requeueAfter: 20_000,
    status: { seen: 2 },
  });
  await assert.rejects(plugin.abort(rollout, context), /cannot go back/);
  assert.equal((await plugin.terminate(rollout, context)).phase, 'Successful');
});

test('a module that ends its thread is begun anew', async (t) => {
  const location = await moduleOf(
    t,
    `export function run({ context }) { if (context.config.key === 'a') process.exit(3); return { phase: 'Successful' }; }`,
  );
  const plugin = await (await hostOf(t, [{ location }])).step('org/step');
  await assert.rejects(plugin.run(rollout, context), /the plugin ended with code 3/);
  assert.equal((await plugin.run(rollout, { ...context, config: {} })).phase, 'Successful');
});

test('answers that cannot be used are told', async (t) => {
  const location = await moduleOf(t, `export const run = ({ context }) => context.config.answer;`);
  const plugin = await (await hostOf(t, [{ location }])).step('org/step');
  const asked = (answer: unknown) => plugin.run(rollout, { ...context, config: { answer } });
  await assert.rejects(asked({ phase: 'Done' }), /phase "Done"/);
  await assert.rejects(asked([]), /something else than an object/);
  await assert.rejects(asked({ requeueAfterSeconds: -1 }), /from 0 to/);
});

test('a traffic router and a metric by HTTP: what is not served is left out or told', async (t) => {
  const asked: { path: string; token: unknown; body: Record<string, unknown> }[] = [];
  const answers: Record<string, unknown> = {
    '/base/setWeight': {},
    '/base/verifyWeight': { verified: false },
    '/base/run': { phase: 'Successful', value: [1, 2], metadata: { query: 'q' } },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url ?? '';
    asked.push({ path, token: request.headers['x-token'], body: JSON.parse(body) });
    response.statusCode = path in answers ? 200 : path === '/base/setMirrorRoute' ? 500 : 404;
    response.end(response.statusCode === 500 ? 'no mirrors here' : JSON.stringify(answers[path] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const location = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  const host = await hostOf(t, [
    { kind: 'traffic', name: 'org/router', protocol: 'http', location, headerSecrets: ['secret-token'] },
    { kind: 'metric', name: 'org/metric', protocol: 'http', location },
  ]);
  const router = await host.traffic('org/router');
  await router.updateHash(rollout, 'c', 's', []);
  await router.setWeight(rollout, 20, []);
  assert.deepEqual(asked.at(-1), {
    path: '/base/setWeight',
    token: 'secret-token',
    body: { rollout, weight: 20, additionalDestinations: [] },
  });
  assert.equal(await router.verifyWeight(rollout, 20, []), false);
  await assert.rejects(router.setMirrorRoute(rollout, {}), /answers 500: no mirrors here/);
  await assert.rejects(router.setHeaderRoute(rollout, {}), /has no method setHeaderRoute/);
  const metric = await host.metric('org/metric');
  assert.deepEqual(await metric.run(analysisRun, {}), {
    phase: 'Successful',
    value: '[1,2]',
    metadata: { query: 'q' },
  });
  assert.deepEqual(await metric.metadata({}), {});
});
