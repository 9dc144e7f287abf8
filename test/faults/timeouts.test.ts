import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { World } from '../e2e/support/world.ts';
import { runFault } from './run-fault.ts';
import { timeoutFaults } from './timeout-faults.ts';

const plugin = (name: string, script: string, more = '') =>
  `apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata: {name: ${name}}\nspec:\n  generate: {command: [sh, -c, ${JSON.stringify(script)}]}\n${more}`;

let world: World;
let plugins: string;
before(async () => {
  plugins = mkdtempSync(join(tmpdir(), 'tiphys-plugins-'));
  for (const [name, script, more] of [
    ['hanging', 'echo waiting for vault >&2; sleep 60', ''],
    ['failing', 'echo no vault today >&2; exit 1', ''],
    ['picky', 'exit 1', '  discover: {fileName: "./secrets.yaml"}\n'],
  ] as const) {
    mkdirSync(join(plugins, name));
    writeFileSync(join(plugins, name, 'plugin.yaml'), plugin(name, script, more));
  }
  world = await World.start({ plugins });
});
after(async () => {
  await world?.close();
  rmSync(plugins, { recursive: true, force: true });
});

describe('a limit of time is named with what used it up', () => {
  for (const [index, fault] of timeoutFaults.entries())
    test(`${fault.id}: ${fault.title}`, () => runFault(world, fault, `${fault.id.toLowerCase()}-${index}`));
});
