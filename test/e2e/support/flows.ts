import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, systemClock } from '@tiphys/kubernetes';
import { startLocalStore } from '@tiphys/workflow-executor';
import { openPageAccess } from '@tiphys/workflow-server';
import { openKept } from '../../../packages/automate/workflows/controller/persistence/open-persistence.ts';
import { startWorkflows } from '../../../packages/automate/workflows/controller/start-workflows.ts';
import { startSimulatedExecutor } from '../../../packages/automate/workflows/simulated-executor/simulated-executor.ts';

/** Workflows of a world: their controllers, their archive, and their API for the page. */
export async function startFlows(client: Client, namespace: string, errors: string[]) {
  const abort = new AbortController();
  const onError = (key: string, error: unknown) => void errors.push(`${key}: ${String(error)}`);
  const shared = { client, clock: systemClock, signal: abort.signal, namespace, onError };
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-flows-'));
  const archiveFile = join(folder, 'archive.db');
  const store = await startLocalStore(join(folder, 'artifacts'));
  const base = { env: {}, executorImage: 'argoexec', wrapsCommands: false, artifactRepository: store.repository };
  const kept = await openKept({ ...shared, base, settings: {}, archiveFile });
  const runtime = await startWorkflows({ ...shared, base, persistence: kept.persistence });
  await startSimulatedExecutor(shared);
  const log = (level: string, message: string) => void (level === 'error' && errors.push(message));
  const access = await openPageAccess({
    client,
    namespace,
    archiveFile,
    usualRepository: () => store.repository,
    clock: systemClock,
    log,
    version: '0.0.0',
    env: {},
  });
  return {
    access,
    async close() {
      await access.close();
      abort.abort(new Error('over'));
      await runtime.close();
      await kept.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
