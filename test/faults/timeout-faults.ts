import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const parameters = ({ world }: Stage, data: Readonly<Record<string, string | null>>) =>
  world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cmd-params-cm' },
    'merge',
    { data },
  );

/** Faults of settings that hold for every application of a control plane: each is over before the next begins. */
export const timeoutFaults: readonly Fault[] = [
  {
    id: 'S21',
    title: 'a sync that takes longer than syncs may',
    files: { 'app/a.yaml': configMap('a', 'one') },
    inject: async (stage) => {
      await parameters(stage, { 'controller.sync.timeout.seconds': '3' });
      stage.commit({
        'app/a.yaml': configMap('a', 'two', { 'argocd.argoproj.io/sync-wave': '1' }),
        'app/w.yaml': deployment('web', { image: 'registry.example/does-not-exist:1' }),
      });
    },
    code: 'SyncTimedOut',
    contains: [/ended after 3 s/, /Deployment\/web/, /cannot be pulled/, /controller\.sync\.timeout\.seconds/],
    mend: async (stage) => {
      await parameters(stage, { 'controller.sync.timeout.seconds': null });
      stage.commit({ 'app/w.yaml': deployment('web') });
    },
  },
  {
    id: 'M7',
    title: 'a plugin that fails',
    inject: (stage) => stage.patch({ source: { plugin: { name: 'failing' } } }),
    code: 'PluginFailed',
    cause: 'PluginFailed',
    contains: [/no vault today/, /failing/],
    mend: (stage) => stage.patch({ source: { plugin: null } }),
  },
  {
    id: 'M7',
    title: 'a plugin whose discovery does not match the source',
    inject: (stage) => stage.patch({ source: { plugin: { name: 'picky' } } }),
    code: 'PluginNotFound',
    contains: [
      /plugins found","value":"[^"]*picky/,
      /spec\.discover of plugin\.yaml\) does not match/,
      /Correct spec\.discover/,
    ],
    mend: (stage) => stage.patch({ source: { plugin: null } }),
  },
  {
    id: 'M8',
    title: 'a plugin that does not come to an end',
    inject: async (stage) => {
      await parameters(stage, { 'controller.repo.server.timeout.seconds': '2' });
      await stage.patch({ source: { plugin: { name: 'hanging' } } });
    },
    code: 'PluginTimeout',
    contains: [/hanging/, /2 s/, /controller\.repo\.server\.timeout\.seconds/],
    mend: async (stage) => {
      await parameters(stage, { 'controller.repo.server.timeout.seconds': null });
      await stage.patch({ source: { plugin: null } });
    },
  },
];
