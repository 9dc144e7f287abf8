import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { configMap, deployment } from '../e2e/manifests.ts';
import { World } from '../e2e/world.ts';
import type { Fault, Stage } from './fault.ts';
import { runFault } from './run-fault.ts';

const plugin = (name: string, script: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata: {name: ${name}}\nspec:\n  generate: {command: [sh, -c, ${JSON.stringify(script)}]}\n`;

const parameters = ({ world }: Stage, data: Readonly<Record<string, string | null>>) =>
  world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cmd-params-cm' },
    'merge',
    { data },
  );

/** Faults of settings that hold for every application of a control plane: each is over before the next begins. */
const table: readonly Fault[] = [
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

let world: World;
let plugins: string;
before(async () => {
  plugins = mkdtempSync(join(tmpdir(), 'tiphys-plugins-'));
  for (const [name, script] of [
    ['hanging', 'echo waiting for vault >&2; sleep 60'],
    ['failing', 'echo no vault today >&2; exit 1'],
  ] as const) {
    mkdirSync(join(plugins, name));
    writeFileSync(join(plugins, name, 'plugin.yaml'), plugin(name, script));
  }
  world = await World.start({ plugins });
});
after(async () => {
  await world?.close();
  rmSync(plugins, { recursive: true, force: true });
});

describe('a limit of time is named with what used it up', () => {
  for (const [index, fault] of table.entries())
    test(`${fault.id}: ${fault.title}`, () => runFault(world, fault, `${fault.id.toLowerCase()}-${index}`));
});
