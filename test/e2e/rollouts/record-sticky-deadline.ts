import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolloutsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { connect, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { freePorts } from '../../../scripts/testing/free-ports.ts';
import { playStickyDeadline } from './sticky-deadline.ts';

/** Plays the incident with the real controller, `rollouts-controller` of PATH, and writes what it said. */
const folder = mkdtempSync(join(tmpdir(), 'tiphys-sticky-'));
const sandbox = await startSandbox();
const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'recording' } });
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 });
await ensureDefinitions(client, rolloutsDefinitions(), systemClock);
await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argo-rollouts' } });
const [metrics, health] = await freePorts(2);
const args = ['--kubeconfig', kubeconfig, '--namespace', 'argo-rollouts', '--loglevel', 'error'];
const controller = 'rollouts-controller';
const child = spawn(controller, [...args, '--metricsPort', `${metrics}`, '--healthzPort', `${health}`], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  const scenes = await playStickyDeadline(client, 60_000);
  const file = join(import.meta.dirname, 'testdata', 'sticky-deadline.json');
  writeFileSync(file, `${JSON.stringify(scenes, undefined, 2)}\n`);
} finally {
  child.kill('SIGTERM');
  await client.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
