import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { names } from '@tiphys/api';
import type { Page } from 'playwright-core';
import { configMap, deployment } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'replicas: 2\nusers:\n- ada\n- ben\n',
  'chart/templates/_names.tpl': '{{- define "web.team" -}}\npay\n{{- end }}\n',
  'chart/templates/cm.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: users\n  labels:\n    team: {{ include "web.team" . }}\ndata:\n  replicas: {{ .Values.replicas | quote }}\n{{- range $index, $user := .Values.users }}\n  user-{{ $index }}: {{ $user }}\n{{- end }}\n',
  'chart/templates/key.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {key: hush}\n',
};

describe('where things come from, whom to trust, and the way out of quarantine', { skip: noBrowser }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-signing-key-'));
  let world: World;
  let web: WebPage;
  let page: Page;
  let namespace: string;
  let repository: TestRepository;
  before(async () => {
    const key = join(folder, 'key');
    execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', key]);
    world = await World.start({ web: true });
    namespace = await world.targetNamespace();
    await world.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'tiphys-ssh-signing-keys',
        namespace: world.namespace,
        labels: { 'app.kubernetes.io/part-of': 'argocd' },
      },
      data: { people: readFileSync(`${key}.pub`, 'utf8') },
    });
    repository = world.repository(chart);
    repository.commit({ 'chart/prod.yaml': 'replicas: 5\n' }, 'More of them');
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`];
    repository.git(...sign, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'Signed');
    await world.createApplication('web-origin', repository, {
      source: { repoURL: repository.url, path: 'chart', targetRevision: 'main', helm: { valueFiles: ['prod.yaml'] } },
      targetNamespace: namespace,
      syncPolicy: { automated: {} },
    });
    const kustomize = world.repository({
      'base/kustomization.yaml': 'resources: [cm.yaml]\n',
      'base/cm.yaml': configMap('settings', 'one'),
      'prod/kustomization.yaml': 'resources: [../base]\nnamePrefix: prod-\n',
    });
    await world.createApplication('web-kustomize', kustomize, {
      path: 'prod',
      targetNamespace: namespace,
      syncPolicy: { automated: {} },
    });
    await world.healthy('web-origin');
    await world.healthy('web-kustomize');
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const origin = async (application: string, kind: string, name: string) => {
    const query = new URLSearchParams({ node: `/${kind}/${namespace}/${name}`, nodeTab: 'origin' });
    await page.goto(`${world.url}/applications/${world.namespace}/${application}/tree?${query}`);
    await page.getByRole('region', { name: 'Fields and what made them' }).waitFor();
  };
  const row = (field: string) =>
    page.getByRole('row').filter({ has: page.locator(`td:first-child .mono:text-is("${field}")`) });
  const wide = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');

  test('each field of what a chart made has the line of its template, and who gave its value', async () => {
    await origin('web-origin', 'ConfigMap', 'users');
    const replicas = (await row('data.replicas').textContent()) ?? '';
    assert.match(replicas, /cm\.yaml:8.*Test, .*: Begin/);
    assert.match(replicas, /Values\.replicas\s*prod\.yaml:1.*: More of them/);
    const second = (await row('data.user-1').textContent()) ?? '';
    assert.match(second, /cm\.yaml:10/);
    assert.match(second, /Values\.users\.1\s*values\.yaml:4/);
    assert.match((await row('metadata.labels.team').textContent()) ?? '', /_names\.tpl:2.*included at\s*cm\.yaml:6/);
    await page.getByRole('textbox', { name: 'Filter fields' }).fill('user-0');
    await row('data.replicas').waitFor({ state: 'detached' });
    await row('data.user-0').getByText('Why it is there').click();
    await row('data.user-0')
      .getByText(/^range .*\.Values\.users$/)
      .first()
      .waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok((await wide()) <= 0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await origin('web-origin', 'Secret', 'key');
    assert.equal(await page.getByText('hush').count(), 0);
  });

  test('what a kustomization wrote has its entry; what differs tells both', async () => {
    await origin('web-kustomize', 'ConfigMap', 'prod-settings');
    const name = (await row('metadata.name').textContent()) ?? '';
    assert.match(name, /namePrefix \+prod-.*kustomization\.yaml:2/);
    assert.deepEqual(await web.barriers(), []);
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'users' };
    await world.client.patch(ref, 'merge', { data: { replicas: '7' } });
    await world.waitForApplication('web-origin', 'drifted', ({ status }) => status?.sync?.status === 'OutOfSync');
    await web.application('web-origin', 'diff');
    await web.button('Who wrote this …').click();
    const field = page.getByRole('dialog').getByRole('row').filter({ hasText: '/data/replicas' });
    await field.getByText('cm.yaml:8').waitFor();
    await field.getByText('prod.yaml:1').waitFor();
    await page.keyboard.press('Escape');
  });

  test('generated values that live holds otherwise are told beside the differences, which have none of them', async () => {
    const target = await world.targetNamespace();
    const random = world.repository({
      'Chart.yaml': 'apiVersion: v2\nname: random\nversion: 1.0.0\n',
      'templates/key.yaml':
        'apiVersion: v1\nkind: Secret\nmetadata: {name: door}\nstringData: {code: {{ randAlphaNum 12 | quote }}}\n',
    });
    await world.createApplication('web-random', random, { targetNamespace: target, syncPolicy: { automated: {} } });
    await world.healthy('web-random');
    const code = Buffer.from('set by somebody').toString('base64');
    const live = { apiVersion: 'v1', kind: 'Secret', namespace: target, name: 'door' };
    await world.client.patch(live, 'merge', { data: { code } });
    await world.waitForApplication('web-random', 'Synced with another value', ({ status }) =>
      JSON.stringify(status?.diagnoses ?? []).includes('GeneratedValuesDiffer'),
    );
    await web.application('web-random', 'diff');
    const told = page.getByRole('region', { name: 'Generated values' });
    await told.getByText(`Secret ${target}/door: data.code`).waitFor();
    await page.getByText('Live and desired state are the same.').waitFor();
    assert.equal(await page.getByText('set by somebody').count(), 0);
    assert.deepEqual(await web.barriers(), []);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok((await wide()) <= 0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a signed commit is told to be trusted', async () => {
    await web.application('web-origin', 'history');
    const mark = page.getByRole('row').getByText('Verified').first();
    await mark.waitFor();
    assert.match((await mark.getAttribute('title')) ?? '', /^Good signature from SSH key SHA256:/);
  });

  test('a revision in quarantine is let out by keys alone', async () => {
    const gated = (time: string) => ({ annotations: { [names.annotations.healthGate]: time } });
    const target = await world.targetNamespace();
    const bad = world.repository({ 'a.yaml': deployment('shop') });
    const spec = { targetNamespace: target, syncPolicy: { automated: { prune: true, selfHeal: true } } };
    await world.createApplication('web-gated', bad, spec, gated('10m'));
    await world.healthy('web-gated');
    const recorded = {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: world.namespace,
      name: 'tiphys-recorded-web-gated',
    };
    await world.waitFor(recorded, 'the manifests recorded', (secret) => secret !== undefined);
    await world.client.patch(world.applicationRef('web-gated'), 'merge', { metadata: gated('3s') });
    const podAnnotations = { 'sandbox.tiphys.dev/behavior': 'never-ready' };
    const commit = bad.commit({ 'a.yaml': deployment('shop', { image: 'registry.example/app:2', podAnnotations }) });
    const held = ({ metadata }: { metadata: { annotations?: Readonly<Record<string, string>> } }) =>
      metadata.annotations?.[names.annotations.quarantine]?.includes(commit) ?? false;
    await world.waitForApplication(
      'web-gated',
      'in quarantine',
      (application) =>
        held(application) &&
        application.status?.operationState?.phase === 'Succeeded' &&
        JSON.stringify(application.status?.diagnoses ?? []).includes('RevisionQuarantined'),
    );
    // so that it does not go back there while it is looked at
    await world.client.patch(world.applicationRef('web-gated'), 'merge', { metadata: gated('10m') });
    await web.application('web-gated');
    await page.locator('.diagnosis').getByRole('button', { name: 'Let out of quarantine …' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Let out of quarantine' });
    await dialog.getByText(/not healthy 3 s after its sync began/).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await dialog.getByRole('checkbox').press('Space');
    assert.ok(await dialog.getByRole('button', { name: 'Let out', exact: true }).isDisabled());
    await dialog.getByRole('checkbox').press('Space');
    await dialog.getByRole('button', { name: 'Let out', exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await world.waitForApplication('web-gated', 'out of quarantine', (application) => !held(application));
    await world.waitForApplication(
      'web-gated',
      'delivered again',
      ({ status }) => status?.operationState?.syncResult?.revision === commit,
    );
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
