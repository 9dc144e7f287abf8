import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { packageChart, startHelmRepository } from '@tiphys/registry/testing';
import { type ApiUse, type UpgradeReport, useDiagnosis, verdictOf, warningOf } from '@tiphys/upgrades';
import { runOwnCommands } from '../../../packages/serve/cli/own-commands.ts';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

/** What an upgrade of Kubernetes will break: the API, the command line, and the server's own warnings. */
let world: World;
const folder = mkdtempSync(join(tmpdir(), 'tiphys-upgrades-'));
before(async () => {
  world = await World.start();
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function tiphys(...argv: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await runOwnCommands(argv, {
    output: { out: (text) => void lines.push(text), error: (text) => void lines.push(text), colours: false },
    env: { XDG_CONFIG_HOME: folder },
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  return { code, text: lines.join('\n') };
}

const path = '/api/tiphys/v1/upgrade';
const cronJob = 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: nightly\n';

test('manifests of applications, recorded calls and the cluster are in one report', async () => {
  const repository = world.repository({ 'app/a.yaml': configMap('a', '1'), 'app/old.yaml': `# kept\n${cronJob}` });
  const targetNamespace = await world.targetNamespace();
  await world.createApplication('upgrade-old', repository, { path: 'app', targetNamespace });
  const event = {
    kind: 'Event',
    stage: 'ResponseComplete',
    verb: 'watch',
    user: { username: 'ann' },
    userAgent: 'upgrade-test/v1',
    objectRef: { resource: 'cronjobs', apiGroup: 'batch', apiVersion: 'v1beta1' },
    requestReceivedTimestamp: '2026-01-01T00:00:00Z',
  };
  const told = await world.rest<{ recorded: number }>('POST', `${path}/audit`, { kind: 'EventList', items: [event] });
  assert.deepEqual(told.body, { recorded: 1 });

  const { body } = await world.rest<UpgradeReport>('GET', `${path}?to=1.35`);
  assert.equal(body.target, '1.35');
  const ours = (use: ApiUse) =>
    use.application?.endsWith('/upgrade-old') || use.caller?.userAgent === 'upgrade-test/v1';
  assert.deepEqual(
    body.uses
      .filter(ours)
      .map(({ origin, state, file, line, caller }) => [origin, state, file ?? '', line ?? 0, caller?.user]),
    [
      ['call', 'removed', '', 0, 'ann'],
      ['rendered', 'removed', 'app/old.yaml', 2, undefined],
    ],
  );
  const old = body.uses.find(({ application }) => application?.endsWith('/upgrade-old'));
  assert.deepEqual(
    [old?.change?.before, old?.change?.after, old?.commit?.revision.length],
    ['apiVersion: batch/v1beta1', 'apiVersion: batch/v1', 40],
  );
  assert.match(old?.change?.patch ?? '', /^--- a\/app\/old\.yaml\n\+\+\+ b\/app\/old\.yaml\n@@ -1,/);
  const failing = body.readiness.find(({ message }) => message.includes('/upgrade-old breaks'));
  assert.equal(failing?.code, 'UpgradeApplicationFails');
  const wrong = await world.rest<{ message: string }>('GET', `${path}?to=soon`);
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.message, /"soon" is no release of Kubernetes/);
});

test('what another cluster is asked, and what is delivered to it, is told of that cluster alone', async () => {
  const { client, namespace } = world;
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cluster-far', namespace, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name: 'far', server: 'https://127.0.0.1:1', config: '{}' },
  } as KubeObject);
  const repository = world.repository({ 'app/old.yaml': cronJob });
  await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'upgrade-far', namespace },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, path: 'app', targetRevision: 'HEAD' },
      destination: { name: 'far', namespace: 'default' },
    },
  } as KubeObject);
  await world.waitForApplication('upgrade-far', 'a look at it', ({ status }) => status !== undefined);
  const event = {
    kind: 'Event',
    verb: 'list',
    user: { username: 'far-away' },
    userAgent: 'far/v1',
    objectRef: { resource: 'cronjobs', apiGroup: 'batch', apiVersion: 'v1beta1' },
  };
  const sent = await world.rest('POST', `${path}/audit?cluster=far`, { kind: 'EventList', items: [event] });
  assert.deepEqual(sent.body, { recorded: 1 });
  const unknown = await world.rest<{ message: string }>('POST', `${path}/audit?cluster=none`, event);
  assert.deepEqual([unknown.status, /There is no cluster "none"/.test(unknown.body.message)], [400, true]);

  const { body: own } = await world.rest<UpgradeReport>('GET', `${path}?to=1.35`);
  assert.doesNotMatch(JSON.stringify(own), /upgrade-far|far-away/);
});

test('the command line asks the server, checks a work tree, and changes what is mechanical', async () => {
  await tiphys('login', world.url, '--password', world.password);
  const asked = await tiphys('upgrade', 'check', '--to', '1.35');
  assert.equal(asked.code, 1, asked.text);
  assert.match(asked.text, /ApiRemoved: CronJob .*nightly uses batch\/v1beta1 CronJob.*\n +at: app\/old\.yaml:2/);

  const { url: dir } = world.repository({ 'web.yaml': `${cronJob}spec: {schedule: "@daily", jobTemplate: {}}\n` });
  const found = await tiphys('upgrade', 'check', '--to', '1.25', '--path', dir);
  assert.equal(found.code, 1, found.text);
  assert.match(found.text, /at: web\.yaml:1\n {2}commit: [0-9a-f]{12} of /);
  const shown = await tiphys('upgrade', 'fix', '--to', '1.25', '--path', dir);
  assert.match(shown.text, /- apiVersion: batch\/v1beta1\n\+ apiVersion: batch\/v1\n1 lines would be changed/);
  assert.equal((await tiphys('upgrade', 'fix', '--to', '1.25', '--path', dir, '--write')).code, 0);
  const after = await tiphys('upgrade', 'check', '--to', '1.25', '--path', dir);
  assert.equal(after.code, 0, after.text);

  const { url: shared } = world.repository({ 'web.yaml': cronJob.replace('nightly', 'weekly') });
  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', shared, clone]);
  for (const [name, value] of [
    ['user.name', 'Ann'],
    ['user.email', 'ann@example.com'],
  ])
    execFileSync('git', ['-C', clone, 'config', String(name), String(value)]);
  const pushed = await tiphys(
    'upgrade',
    'fix',
    '--to',
    '1.25',
    '--path',
    clone,
    '--branch',
    'upgrade',
    '--push',
    'origin',
  );
  assert.equal(pushed.code, 0, pushed.text);
  const shownThere = execFileSync('git', ['-C', shared, 'show', '--format=%an %s', 'upgrade'], { encoding: 'utf8' });
  assert.match(shownThere, /^Ann Use APIs that Kubernetes 1\.25 serves.*\+apiVersion: batch\/v1\n/s);
});

test('a chart is told with the newest version, and whether that does without', async (t) => {
  const charts = await startHelmRepository();
  t.after(() => charts.close());
  for (const [version, api] of [
    ['1.0.0', 'batch/v1beta1'],
    ['2.0.0', 'batch/v1'],
    ['3.0.0-rc.1', 'batch/v1beta1'],
  ] as const)
    charts.add(
      'cron',
      version,
      packageChart('cron', version, {
        'Chart.yaml': `apiVersion: v2\nname: cron\nversion: ${version}\n`,
        'templates/job.yaml': cronJob.replace('batch/v1beta1', api),
      }),
    );
  const targetNamespace = await world.targetNamespace();
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'upgrade-chart', namespace: world.namespace },
    spec: {
      project: 'default',
      source: { repoURL: charts.url, chart: 'cron', targetRevision: '1.0.0' },
      destination: { server: 'https://kubernetes.default.svc', namespace: targetNamespace },
    },
  } as KubeObject);
  await world.waitForApplication('upgrade-chart', 'a look at it', ({ status }) => status !== undefined);
  const { body } = await world.rest<UpgradeReport>('GET', `${path}?to=1.35`);
  const use = body.uses.find(({ application }) => application?.endsWith('/upgrade-chart'));
  assert.ok(use, JSON.stringify(body.unseen));
  assert.deepEqual(use.newerChart, { version: '2.0.0', mends: true });
  assert.match(JSON.stringify(useDiagnosis(use, '1.35').remedies), /Take version 2\.0\.0 of the chart/);
});

test('what is known of an API is what the API server warns of', async () => {
  const { client } = world;
  const { major, minor } = await client.discovery.version();
  const release = [Number(major), Number.parseInt(minor, 10)] as const;
  let compared = 0;
  for (const { group, version, kind, plural, verbs } of await client.discovery.resources()) {
    if (!verbs.includes('list') || group.includes('argoproj') || !/k8s\.io$|^[a-z]*$/.test(group)) continue;
    const answer = await client.request('GET', `${group ? `/apis/${group}` : '/api'}/${version}/${plural}?limit=1`);
    const warning = /299 - "(.*)"$/.exec(answer.headers.get('warning') ?? '')?.[1];
    const verdict = verdictOf({ group, version, kind }, release);
    assert.equal(warning, verdict && warningOf(verdict.life), `${group}/${version} ${kind}`);
    if (verdict) compared += 1;
  }
  assert.ok(compared >= 2, 'Endpoints and ComponentStatus at least are deprecated');
});
