import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { explainWorkflow } from '../../packages/automate/workflows/index.ts';
import { World } from '../e2e/support/world.ts';
import { recordExample } from './examples.ts';
import { allRights, argo, type FamilyFault, familyStage, type Hosts, startFamilies, startHosts } from './families.ts';
import { familyFaults } from './family-faults.ts';
import { FamilySurfaces } from './family-surfaces.ts';
import { setFaults } from './set-faults.ts';

const wanted = process.env.TIPHYS_FAULTS ?? '';
const chosen = (faults: readonly FamilyFault[]) =>
  ['', 'all'].includes(wanted)
    ? faults
    : faults.filter(({ id, title }) => wanted.split(',').some((word) => `${id} ${title}`.includes(word)));

let world: World;
let hosts: Awaited<ReturnType<typeof startHosts>>;
let surfaces: FamilySurfaces;
let families: Awaited<ReturnType<typeof startFamilies>>;
before(async () => {
  world = await World.start();
  hosts = await startHosts();
  families = await startFamilies(world.client);
  surfaces = new FamilySurfaces(world);
});
after(async () => {
  await families?.close();
  hosts?.close();
  await world?.close();
});

type Shown = { diagnoses?: readonly Diagnosis[] } & Record<string, unknown>;
const statusOf = (object: KubeObject | undefined): Shown => (object?.status ?? {}) as Shown;
/** Statuses have diagnoses; that of a Workflow is Argo's own, and is explained where it is shown. */
const toldBy = (object: KubeObject | undefined): Shown => {
  const status = statusOf(object);
  return object?.kind === 'Workflow' ? { ...status, diagnoses: explainWorkflow(object as never) } : status;
};
const find = (status: Shown, code: string) => status.diagnoses?.find((diagnosis) => diagnosis.code === code);

/** The status says all that it must; some of it is only known a moment later. */
function isTold(status: Shown, { code, contains }: FamilyFault): boolean {
  const text = JSON.stringify(status).replaceAll('\\"', '"');
  return (code === undefined || find(status, code) !== undefined) && contains.every((part) => part.test(text));
}

async function run(fault: FamilyFault, namespace: string, ready: Hosts): Promise<void> {
  const stage = familyStage(world.client, namespace);
  if (fault.limit)
    await world.client.patch({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, 'merge', {
      metadata: { labels: fault.limit },
    });
  if (/^(?:EventSource|Sensor)\//.test(fault.of)) await stage.create(allRights('default', namespace));
  const drafts = typeof fault.objects === 'function' ? fault.objects(ready) : fault.objects;
  for (const draft of drafts) {
    await stage.create(draft);
    if (draft.kind === 'ResourceQuota')
      await world.waitFor(
        { apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: draft.metadata.name },
        'the quota to be counted',
        (quota) => (quota?.status as { hard?: object } | undefined)?.hard !== undefined,
      );
  }
  const [kind = '', name = ''] = fault.of.split('/');
  const ref = { apiVersion: argo, kind, namespace, name };
  if (fault.then) {
    await world.waitFor(ref, 'it to be well', (object) => isWell(object));
    await stage.patch(fault.of, fault.then);
  }
  if (fault.act) {
    await world.waitFor(ref, 'it to run', (object) => isRunning(object));
    await fault.act(stage, ready);
  }
  const told = toldBy(await world.waitFor(ref, `${fault.id} in its status`, (object) => isTold(toldBy(object), fault)));
  const text = JSON.stringify(told);
  for (const wrong of fault.excludes ?? []) assert.doesNotMatch(text, wrong);
  assert.doesNotMatch(text, /MARKER/);
  assert.doesNotMatch(text, /InternalError/);
  const diagnosis = fault.code === undefined ? undefined : find(told, fault.code);
  if (diagnosis) {
    assert.ok(diagnosis.remedies.length > 0, 'a diagnosis names a remedy');
    assert.notEqual(diagnosis.message, '');
    if (process.env.TIPHYS_FAULTS_RECORD) recordExample(diagnosis as never);
    await surfaces.assertShow({ kind, namespace, name }, diagnosis);
  }
  if (!fault.mend) return;
  await fault.mend(stage, ready);
  const gone = (object: KubeObject | undefined) =>
    fault.code === undefined ? !isTold(toldBy(object), fault) : find(toldBy(object), fault.code) === undefined;
  await world.waitFor(ref, `the end of ${fault.id}`, gone);
}

function isRunning(object: KubeObject | undefined): boolean {
  const status = statusOf(object);
  if (object?.kind !== 'EventSource') return JSON.stringify(status.nodes ?? {}).includes('"Running"');
  const conditions = (status.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some(({ type, status }) => type === 'Deployed' && status === 'True');
}

function isWell(object: KubeObject | undefined): boolean {
  const status = statusOf(object);
  if (object?.kind === 'ApplicationSet') return JSON.stringify(status.conditions ?? []).includes('ResourcesUpToDate');
  return status.phase === 'Healthy';
}

describe('a fault of Events, Rollouts or Workflows is told in the status of its object', { concurrency: 6 }, () => {
  for (const fault of chosen(familyFaults))
    test(`${fault.id}: ${fault.title}`, async () => run(fault, await world.targetNamespace(), hosts));
});

describe('a fault of an ApplicationSet is told in its status', { concurrency: 4 }, () => {
  for (const fault of chosen(setFaults)) test(`${fault.id}: ${fault.title}`, () => run(fault, world.namespace, hosts));
});

test('no family reports a condition that it did not expect', async () => {
  await pause(0);
  assert.deepEqual(
    families.errors.filter((line) => line.includes('did not expect')),
    [],
  );
});
