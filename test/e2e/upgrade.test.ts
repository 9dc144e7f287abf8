import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type ApiUse, type UpgradeReport, verdictOf, warningOf } from '@tiphys/upgrades';
import { runOwnCommands } from '../../packages/serve/cli/own-commands.ts';
import { configMap } from './manifests.ts';
import { World } from './world.ts';

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
  const wrong = await world.rest<{ message: string }>('GET', `${path}?to=soon`);
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.message, /"soon" is no release of Kubernetes/);
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
