import type { Fault, Stage } from './fault.ts';

const settings = ({ world }: Stage, data: Readonly<Record<string, string | null>>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

const parameters = ({ world }: Stage, data: Readonly<Record<string, string | null>>) =>
  world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cmd-params-cm' },
    'merge',
    { data },
  );

export const settingsFaults: readonly Fault[] = [
  {
    id: 'SettingInvalid',
    title: 'a key of argocd-cm that is no YAML',
    inject: (stage) => settings(stage, { 'resource.exclusions': '- kinds: [' }),
    code: 'SettingInvalid',
    contains: [/argocd-cm/, /resource\.exclusions/],
    mend: (stage) => settings(stage, { 'resource.exclusions': null }),
  },
  {
    id: 'SettingIgnored',
    title: 'a time that cannot be read',
    inject: (stage) => settings(stage, { 'timeout.reconciliation': 'soon' }),
    code: 'SettingIgnored',
    contains: [/argocd-cm/, /timeout\.reconciliation/, /soon/],
    mend: (stage) => settings(stage, { 'timeout.reconciliation': null }),
  },
  {
    id: 'CustomizationInvalid',
    title: 'a customization that is no YAML',
    inject: (stage) => settings(stage, { 'resource.customizations.ignoreDifferences.all': 'jsonPointers: [' }),
    code: 'CustomizationInvalid',
    contains: [/argocd-cm/, /resource\.customizations\.ignoreDifferences\.all/],
    mend: (stage) => settings(stage, { 'resource.customizations.ignoreDifferences.all': null }),
  },
  {
    id: 'SettingIgnored',
    title: 'a switch of argocd-cm that is neither on nor off',
    inject: (stage) => settings(stage, { 'resource.ignoreResourceUpdatesEnabled': 'yep' }),
    code: 'SettingIgnored',
    contains: [/resource\.ignoreResourceUpdatesEnabled is ignored: found \\"yep\\", wanted true or false/],
    mend: (stage) => settings(stage, { 'resource.ignoreResourceUpdatesEnabled': null }),
  },
  {
    id: 'SettingIgnored',
    title: 'a key of argocd-cm that is misspelt',
    inject: (stage) => settings(stage, { 'timeout.reconcilation.jitter': '5s' }),
    code: 'SettingIgnored',
    contains: [
      /timeout\.reconcilation\.jitter is ignored: there is no such key; timeout\.reconciliation\.jitter is one/,
    ],
    mend: (stage) => settings(stage, { 'timeout.reconcilation.jitter': null }),
  },
  {
    id: 'SettingIgnored',
    title: 'an expression of application.namespaces that is not closed',
    inject: (stage) => parameters(stage, { 'application.namespaces': '/[/,team-*,,{a' }),
    code: 'SettingIgnored',
    contains: [
      /application\.namespaces is ignored: entry 1 of .* is no regular expression: /,
      /entry 3 of .* is empty; entry 4 of .* is no glob/,
      /ConfigMap argocd-cmd-params-cm/,
      /Correct the value; until then the last good one holds/,
    ],
    mend: (stage) => parameters(stage, { 'application.namespaces': null }),
  },
];
