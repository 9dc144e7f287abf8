import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDiscoveryConfigured, readPluginConfig, socketName } from './plugin-config.ts';
import { pluginEnvironment } from './plugin-environment.ts';

const head = 'kind: ConfigManagementPlugin\nmetadata: {name: x}\n';

test('readPluginConfig() reads a plugin.yaml as Argo CD does', () => {
  const config = readPluginConfig(
    `apiVersion: argoproj.io/v1alpha1
${head}spec:
  version: v1.0
  init: {command: [sh, -c], args: ['echo 1']}
  generate: {command: [sh]}
  lockRepo: true
  discover: {find: {command: [find], args: [.]}}
  preserveFileMode: true
  provideGitCreds: true
`,
    'plugin.yaml',
  );
  assert.equal(socketName(config), 'x-v1.0');
  assert.deepEqual(config.init, { command: ['sh', '-c'], args: ['echo 1'] });
  assert.deepEqual(config.discover.command, { command: ['find'], args: ['.'] });
  assert.ok(isDiscoveryConfigured(config) && config.preserveFileMode && config.provideGitCreds);
});

for (const [name, text, words] of [
  ['another kind', 'kind: Pod\nmetadata: {name: x}', 'kind should be ConfigManagementPlugin, found Pod'],
  ['no name', 'kind: ConfigManagementPlugin', 'metadata.name should be non-empty'],
  ['no command', head, 'spec.generate command should be non-empty'],
  ['a number for a version', `${head}spec: {version: 1.0, generate: {command: [a]}}`, 'spec.version is not a string'],
  ['a way out', `${head}spec: {version: ../../tmp, generate: {command: [a]}}`, 'spec.version may have letters'],
  ['a text for a command', `${head}spec: {generate: {command: make}}`, 'spec.generate.command is not a list'],
  ['nothing', '', 'kind should be|metadata.name should be'],
] as const) {
  test(`readPluginConfig() refuses ${name} with its place`, () => {
    assert.throws(() => readPluginConfig(text, 'plugin.yaml'), new RegExp(words));
  });
}

test('pluginEnvironment() has entries and parameters under the names of Argo CD', () => {
  const environment = pluginEnvironment(
    { ARGOCD_APP_NAME: 'shop' },
    {
      name: 'x',
      env: [
        { name: 'FOO', value: 'of-$ARGOCD_APP_NAME' },
        { name: 'EMPTY', value: '' },
      ],
      parameters: [
        { name: 'image.tag', string: 'v1' },
        { name: 'values', map: { 'a-b': 'c' } },
        { name: 'list', array: ['p', 'q'] },
      ],
    },
    (text) => text.replace('$ARGOCD_APP_NAME', 'shop'),
  );
  assert.deepEqual(environment, {
    ARGOCD_APP_NAME: 'shop',
    ARGOCD_ENV_FOO: 'of-shop',
    ARGOCD_ENV_EMPTY: '',
    ARGOCD_APP_PARAMETERS:
      '[{"name":"image.tag","string":"v1"},{"name":"values","map":{"a-b":"c"}},{"name":"list","array":["p","q"]}]',
    PARAM_IMAGE_TAG: 'v1',
    PARAM_VALUES_A_B: 'c',
    PARAM_LIST_0: 'p',
    PARAM_LIST_1: 'q',
  });
});
