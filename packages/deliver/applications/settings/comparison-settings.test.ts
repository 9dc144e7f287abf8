import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonSettings } from './comparison-settings.ts';

test('ignoreDifferences of both forms are rules for their group and kind', () => {
  const { ignoreDifferences } = comparisonSettings({
    'resource.customizations':
      'apps/Deployment:\n  ignoreDifferences: |\n    jsonPointers: [/spec/replicas]\nService: {}\n',
    'resource.customizations.ignoreDifferences.admissionregistration.k8s.io_MutatingWebhookConfiguration':
      'jqPathExpressions: [".webhooks[].clientConfig.caBundle"]',
    'resource.customizations.ignoreDifferences.all': 'managedFieldsManagers: [kube-controller-manager]',
    'resource.customizations.ignoreDifferences.Secret': 'jsonPointers: [/data]',
    'resource.customizations.ignoreResourceUpdates.all': 'jsonPointers: [/status]',
  });
  assert.deepEqual(
    ignoreDifferences.map(({ setting: _, ...rule }) => rule),
    [
      { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] },
      {
        group: 'admissionregistration.k8s.io',
        kind: 'MutatingWebhookConfiguration',
        jqPathExpressions: ['.webhooks[].clientConfig.caBundle'],
      },
      { group: '*', kind: '*', managedFieldsManagers: ['kube-controller-manager'] },
      { group: '', kind: 'Secret', jsonPointers: ['/data'] },
    ],
  );
  // what the first comparison finds out of a rule is told of its key
  assert.deepEqual(
    ignoreDifferences.map(({ setting }) => setting?.split('.').at(-1)),
    ['customizations', 'io_MutatingWebhookConfiguration', 'all', 'Secret'],
  );
});

test('updates are ignored by their own rules and by those of differences, unless it is switched off', () => {
  const data = {
    'resource.customizations': 'apps/Deployment:\n  ignoreResourceUpdates: "jsonPointers: [/status]"\n',
    'resource.customizations.ignoreDifferences.Secret': 'jsonPointers: [/data]',
  };
  const pointers = (more: Record<string, string>) =>
    comparisonSettings({ ...data, ...more }).ignoredUpdates?.map(({ kind, jsonPointers }) => [kind, jsonPointers]);
  assert.deepEqual(pointers({}), [
    ['Deployment', ['/status']],
    ['Secret', ['/data']],
  ]);
  assert.deepEqual(pointers({ 'resource.compareoptions': 'ignoreDifferencesOnResourceUpdates: false' }), [
    ['Deployment', ['/status']],
  ]);
  assert.equal(pointers({ 'resource.ignoreResourceUpdatesEnabled': 'false' }), undefined);
});

test('compare options have the defaults and the spellings of the peers', () => {
  const table: [string | undefined, 'all' | 'crd' | 'none', boolean][] = [
    [undefined, 'all', false],
    ['', 'all', false],
    ['ignoreAggregatedRoles: true', 'all', true],
    ['ignoreResourceStatusField: crd', 'crd', false],
    ['ignoreResourceStatusField: none', 'none', false],
    ['ignoreResourceStatusField: off', 'none', false],
    ['ignoreResourceStatusField: sometimes', 'all', false],
  ];
  for (const [text, ...wanted] of table) {
    const found = comparisonSettings(text === undefined ? {} : { 'resource.compareoptions': text });
    assert.deepEqual([found.ignoreStatus, found.ignoreAggregatedRoles], wanted, `found for ${text}`);
  }
});

test('scripts of both forms are read, those of keys of their own before entries of the mapping', () => {
  const { health, actions } = comparisonSettings({
    'resource.customizations': [
      'cert-manager.io/*:',
      '  health.lua: return {}',
      '  health.lua.useOpenLibs: true',
      'example.com/Thing:',
      '  health.lua: return {1}',
      '  actions: "discovery.lua: x"',
    ].join('\n'),
    'resource.customizations.health.example.com_Thing': 'return {2}',
    'resource.customizations.health.ConfigMap': 'return {3}',
    'resource.customizations.useOpenLibs.ConfigMap': 'true',
    'resource.customizations.actions.apps_Deployment': 'discovery.lua: y',
  });
  assert.deepEqual(
    health.map(({ pattern, source, openLibraries }) => [pattern, source, openLibraries]),
    [
      ['cert-manager.io/*', 'return {}', true],
      ['example.com/Thing', 'return {2}', false],
      ['ConfigMap', 'return {3}', true],
    ],
  );
  assert.deepEqual(
    actions.map(({ pattern, text }) => [pattern, text]),
    [
      ['example.com/Thing', 'discovery.lua: x'],
      ['apps/Deployment', 'discovery.lua: y'],
    ],
  );
});

test('known types are taken; one that nobody knows is told where an application has the kind', () => {
  const settings = comparisonSettings({
    'resource.customizations': 'example.com/Cron:\n  knownTypeFields: [{field: spec.at, type: meta/v1/Duration}]\n',
    'resource.customizations.knownTypeFields.example.com_Dummy': '- field: spec\n  type: core/v1/Nothing\n',
  });
  assert.deepEqual(settings.knownTypes, [
    { group: 'example.com', kind: 'Cron', field: 'spec.at', type: 'meta/v1/Duration' },
  ]);
  assert.deepEqual(settings.refusals([{ group: 'example.com', kind: 'Cron' }]), []);
  const [refusal] = settings.refusals([{ group: 'example.com', kind: 'Dummy' }]);
  assert.match(
    refusal?.message ?? '',
    /type 'core\/v1\/Nothing' is not supported: the field spec of example.com\/Dummy/,
  );
});

test('clients are told the overrides by group and kind, with the status that is ignored', () => {
  const { overrides } = comparisonSettings({
    'resource.customizations.ignoreDifferences.apps_Deployment': 'jsonPointers: [/spec/replicas]',
    'resource.customizations.ignoreDifferences.all': 'jqPathExpressions: [.a]',
    'resource.customizations.health.example.com_Dummy': 'return {}',
    'resource.customizations.knownTypeFields.example.com_Dummy': '[{field: spec, type: core/v1/ResourceList}]',
  });
  assert.deepEqual(overrides, {
    'apps/Deployment': { ignoreDifferences: { jsonPointers: ['/spec/replicas'] } },
    '*/*': { ignoreDifferences: { jqPathExpressions: ['.a'], jsonPointers: ['/status'] } },
    'example.com/Dummy': {
      healthLua: 'return {}',
      knownTypeFields: [{ field: 'spec', type: 'core/v1/ResourceList' }],
    },
  });
});

test('what cannot be read is refused by its key', () => {
  const table: [string, string][] = [
    ['resource.customizations', '- a list'],
    ['resource.customizations.ignoreDifferences.Secret', '{'],
    ['resource.customizations.magic.Secret', ''],
    ['resource.customizations.health.a_b_c', ''],
    ['resource.customizations.useOpenLibs.Secret', 'yes'],
    ['resource.compareoptions', 'text'],
  ];
  for (const [key, text] of table)
    assert.throws(
      () => comparisonSettings({ [key]: text }),
      new RegExp(`^\\w*Error: ${key.replaceAll('.', '\\.')} cannot be used`),
    );
});
