import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { redact } from '@tiphys/diagnosis';
import type { KubeList } from '@tiphys/kubernetes';
import { World } from '../e2e/support/world.ts';

const marker = 'MARKER0wn3d';
const base64 = Buffer.from(marker).toString('base64');
const shown = new RegExp(`${marker}|${base64}`, 'i');

/** Sources whose rendering, comparison or sync fails at a Secret, each in its own way. */
const sources: Readonly<Record<string, Record<string, string>>> = {
  'yaml-error': { 'a.yaml': `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  a: "${marker}\n b: [\n` },
  'no-kind': { 'a.yaml': `apiVersion: v1\nmetadata: {name: x}\nstringData: {password: ${marker}}\n` },
  'only-text': { 'a.yaml': `${marker}\n` },
  'json-error': { 'a.json': `{"kind": "Secret", "stringData": {"a": "${marker}" "b"}}` },
  'not-base64': { 'a.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {a: "${marker}!"}\n` },
  'wrong-type': { 'a.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata: {a: [${marker}]}\n` },
  'bad-key': { 'a.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {"a b": ${marker}}\n` },
  'lower-case': { 'a.yaml': `apiVersion: v1\nkind: secret\nmetadata: {name: x}\nstringData: {a: ${marker}}\n` },
  'bad-type': {
    'a.yaml': `apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: x}\nstringData: {a: ${marker}}\n`,
  },
  fine: { 'a.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: fine}\nstringData: {a: ${marker}}\n` },
  values: {
    'Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
    'values.yaml': `password: "${marker}\nb: [`,
    'templates/a.yaml': 'kind: ConfigMap',
  },
  template: {
    'Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
    'templates/a.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {a: ${marker}}\n  b: c\n`,
  },
};
const urls: Readonly<Record<string, string>> = {
  'password-in-url': `http://robot:${marker}@127.0.0.1:1/team/shop.git`,
  'odd-password-in-url': `http://robot:x/y@${marker}@127.0.0.1:1/team/shop.git`,
};

describe('A marker that stands for a secret', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  test('is in no answer, status, event, line of the log or metric', async () => {
    const targetNamespace = await world.targetNamespace();
    const syncPolicy = { automated: { prune: true }, retry: { limit: 0 } };
    for (const [name, files] of Object.entries(sources))
      await world.createApplication(name, world.repository(files), { targetNamespace, syncPolicy });
    for (const [name, repoURL] of Object.entries(urls)) {
      const source = { repoURL, path: '.', targetRevision: 'main' };
      await world.createApplication(name, world.repository({}), { targetNamespace, source });
    }
    const names = [...Object.keys(sources), ...Object.keys(urls)];
    for (const name of names)
      await world.waitForApplication(
        name,
        'looked at',
        ({ status }) =>
          (status?.conditions ?? []).length > 0 ||
          status?.sync?.status === 'Synced' ||
          (status?.operationState !== undefined && status.operationState.phase !== 'Running'),
      );
    const told: [where: string, text: string][] = [];
    for (const name of names) {
      const { status } = await world.application(name);
      told.push([`status of ${name}`, JSON.stringify(status)]);
      const base = `/api/v1/applications/${name}`;
      const ref = `?namespace=${targetNamespace}&resourceName=fine&version=v1&group=&kind=Secret`;
      for (const path of [
        base,
        `${base}/manifests`,
        `${base}/managed-resources`,
        `${base}/resource-tree`,
        `${base}/events`,
        `${base}/resource${ref}`,
        `${base}/revisions/HEAD/metadata`,
        `${base}/revisions/HEAD/chartdetails`,
        `${base}?refresh=hard`,
      ]) {
        const answer = await world.rest('GET', path).catch((error: unknown) => ({ status: 0, body: String(error) }));
        const body = JSON.parse(JSON.stringify(answer)) as { body?: { spec?: unknown; metadata?: unknown } };
        // what the user wrote into the spec himself is given back to who may read the application
        if (body.body && typeof body.body === 'object')
          for (const own of ['spec', 'metadata'] as const) delete body.body[own];
        told.push([path, withoutOwn(body)]);
      }
    }
    for (const url of Object.values(urls)) {
      const repository = `/api/v1/repositories/${encodeURIComponent(url)}`;
      for (const path of [repository, `${repository}/refs`, `${repository}/apps`, `${repository}/helmcharts`])
        told.push([path.slice(0, 30), JSON.stringify(await world.rest('GET', path).catch(String))]);
    }
    const events = await world.client.list<never>({ apiVersion: 'v1', kind: 'Event', namespace: world.namespace });
    told.push(['events', JSON.stringify((events as KubeList).items.map(({ metadata: _, ...event }) => event))]);
    told.push(['log', world.errors.join('\n')]);
    for (const [part, url] of Object.entries(world.metrics))
      told.push([`metrics of ${part}`, await (await fetch(`${url}/metrics`)).text()]);
    const leaks = told.filter(([, text]) => shown.test(text));
    assert.deepEqual(
      leaks.map(([where, text]) => {
        const at = text.search(shown);
        return `${where}: …${text.slice(Math.max(0, at - 200), at + 40)}…`;
      }),
      [],
    );
  });

  test('is in no URL that is shown', () => {
    for (const url of [
      `https://u:${marker}@host/x`,
      `https://${marker}@host/x`,
      `https://u:a@${marker}@host/x`,
      `https://u:a/b${marker}@host/x?a=b`,
      `ssh://u:${marker}@host/x`,
      `postgres://u:${marker}#x@host/x`,
    ])
      assert.doesNotMatch(redact(`cannot read "${url}": no`), new RegExp(marker), url);
    for (const url of ['https://host:80/a@v1', 'ssh://git@host/x', 'https://host/x?y=a@b', 'http://[::1]:80/a@b'])
      assert.equal(redact(`see ${url} there`), `see ${url} there`);
  });
});

/** An answer without the URL that the application's own source names. */
function withoutOwn(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) =>
    ['repoURL', 'comparedTo', 'source'].includes(key) ? '' : value,
  );
}
