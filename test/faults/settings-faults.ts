import type { Fault, Stage } from './fault.ts';

const settings = ({ world }: Stage, data: Readonly<Record<string, string | null>>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

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
];
