import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { readSettings, settingsReader } from './settings.ts';

const read = (data?: Record<string, string>) =>
  readSettings({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, ...(data ? { data } : {}) });

test('an absent or empty ConfigMap gives the defaults of the peers', () => {
  for (const settings of [readSettings(undefined), read(), read({})]) {
    const {
      data: _data,
      parameters: _parameters,
      notices,
      comparison: _comparison,
      goodComparison: _good,
      resourceFilters: _filters,
      ...rest
    } = settings;
    assert.deepEqual(
      { ...rest, notices: notices.length },
      {
        reconciliationTimeout: 120_000,
        remoteInterval: 45_000,
        reconciliationJitter: 60_000,
        trackingMethod: 'annotation',
        instanceLabelKey: 'app.kubernetes.io/instance',
        installationId: '',
        inClusterEnabled: true,
        serverSideDiff: false,
        impersonation: { enabled: false, enforced: true },
        applicationNamespaces: [],
        syncWaveDelay: 2_000,
        syncTimeout: 0,
        shardingAlgorithm: 'legacy',
        selfHeal: { first: 2_000, factor: 3, maximum: 300_000 },
        allowedNodeLabels: [],
        notices: 0,
        renderShares: { weights: new Map(), limits: new Map() },
      },
    );
  }
});

test('resource.respectRBAC is told only where it has another value than Argo CD takes', () => {
  const notices = (value: string) => read({ 'resource.respectRBAC': value }).notices.map(({ message }) => message);
  assert.deepEqual([notices('strict'), notices('normal')], [[], []]);
  assert.match(notices('yes')[0] ?? '', /resource\.respectRBAC is ignored: found "yes", wanted strict, normal/);
});

test('what is set is taken', () => {
  const settings = read({
    'timeout.reconciliation': '0s',
    'timeout.reconciliation.jitter': '5',
    'application.resourceTrackingMethod': 'label',
    'application.instanceLabelKey': 'example.com/app',
    installationID: 'blue',
  });
  assert.equal(settings.reconciliationTimeout, 0);
  assert.equal(settings.reconciliationJitter, 5_000);
  assert.equal(settings.trackingMethod, 'label');
  assert.equal(settings.instanceLabelKey, 'example.com/app');
  assert.equal(settings.installationId, 'blue');
});

test('what cannot be read is named, and the default holds', () => {
  const settings = read({ 'timeout.reconciliation': 'often', 'application.resourceTrackingMethod': 'guess' });
  assert.deepEqual(settings.notices.map(({ message }) => message.split(' ')[0]).sort(), [
    'application.resourceTrackingMethod',
    'timeout.reconciliation',
  ]);
  assert.equal(settings.reconciliationTimeout, 120_000);
  assert.equal(settings.trackingMethod, 'annotation');
});

test('settings are read anew only after a change', () => {
  let configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { installationID: 'a' } };
  const parameters: KubeObject = { ...configMap, data: { 'controller.diff.server.side': 'true' } };
  const settings = settingsReader(
    () => configMap,
    () => parameters,
  );
  const first = settings();
  assert.equal(first.serverSideDiff, true);
  assert.equal(settings(), first);
  configMap = { ...configMap, data: { installationID: 'b', 'cluster.inClusterEnabled': 'false' } };
  assert.equal(settings().installationId, 'b');
  assert.equal(settings().inClusterEnabled, false);
});

test('a value that becomes unreadable leaves the last good one in force until it is corrected', () => {
  let data: Record<string, string> = { 'timeout.reconciliation': '45s', 'application.resourceTrackingMethod': 'label' };
  const settings = settingsReader(
    () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data }),
    () => undefined,
  );
  assert.equal(settings().reconciliationTimeout, 45_000);
  data = { 'timeout.reconciliation': '45 parsecs', 'application.resourceTrackingMethod': 'guess' };
  for (let again = 0; again < 3; again++) {
    assert.equal(settings().reconciliationTimeout, 45_000);
    assert.equal(settings().trackingMethod, 'label');
    assert.equal(settings().notices.length, 2);
  }
  data = {};
  assert.equal(settings().reconciliationTimeout, 120_000);
  assert.equal(settings().trackingMethod, 'annotation');
});

test('the time between waves is 2 s, or what argocd-cmd-params-cm says in seconds; the last good one stays', () => {
  const read = (delay: string | undefined, last?: ReturnType<typeof readSettings>) =>
    readSettings(
      undefined,
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {},
        data: delay === undefined ? {} : { 'controller.sync.wave.delay.seconds': delay },
      },
      last,
    );
  assert.equal(read(undefined).syncWaveDelay, 2_000);
  const good = read('5');
  assert.equal(good.syncWaveDelay, 5_000);
  const bad = read('long', good);
  assert.equal(bad.syncWaveDelay, 5_000);
  assert.match(bad.notices[0]?.message ?? '', /controller\.sync\.wave\.delay\.seconds/);
});

test('waits of self-heal are read, and what is no number leaves the last good ones', () => {
  const parameters = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cmd-params-cm' },
    data,
  });
  assert.deepEqual(readSettings(undefined).selfHeal, { first: 2_000, factor: 3, maximum: 300_000 });
  const grown = readSettings(
    undefined,
    parameters({
      'controller.self.heal.backoff.timeout.seconds': '4',
      'controller.self.heal.backoff.factor': '2',
      'controller.self.heal.backoff.cap.seconds': '60',
    }),
  );
  assert.deepEqual(grown.selfHeal, { first: 4_000, factor: 2, maximum: 60_000 });
  const always = {
    'controller.self.heal.backoff.timeout.seconds': '0',
    'controller.self.heal.timeout.seconds': '7',
  };
  assert.deepEqual(readSettings(undefined, parameters(always)).selfHeal, { always: 7_000 });
  const refused = readSettings(undefined, parameters({ 'controller.self.heal.backoff.factor': 'three' }), grown);
  assert.deepEqual(refused.selfHeal, grown.selfHeal);
  assert.match(refused.notices[0]?.message ?? '', /^controller\.self\.heal\.backoff\.factor is ignored: found "three"/);
});

test('shares of the threads that render are read by project, and what is no number is told', () => {
  const read = (data: Record<string, string>) =>
    readSettings(undefined, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'p' }, data });
  const { renderShares } = read({ 'tiphys.render.weights': 'a=4, b=0.5', 'tiphys.render.limits': 'a=1,*=3' });
  assert.deepEqual(
    renderShares.weights,
    new Map([
      ['a', 4],
      ['b', 0.5],
    ]),
  );
  assert.deepEqual(
    renderShares.limits,
    new Map([
      ['a', 1],
      ['*', 3],
    ]),
  );
  for (const text of ['a', 'a=0', '=2', 'a=x', 'a=1=2']) {
    const [notice] = read({ 'tiphys.render.limits': text }).notices;
    assert.match(notice?.message ?? '', /tiphys\.render\.limits is ignored: found/, text);
    assert.equal(notice?.place?.object, 'ConfigMap argocd-cmd-params-cm');
  }
});
