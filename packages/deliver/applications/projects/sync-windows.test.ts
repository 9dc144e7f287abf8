import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, AppProject, SyncWindow } from '@tiphys/api';
import { blockDiagnosis, blockingWindow, isActive, syncBlock, windowProblem, windowsOf } from './sync-windows.ts';

const application = {
  metadata: { name: 'shop' },
  spec: { destination: { server: 'https://east', namespace: 'prod' } },
} as Application;
const project = (...syncWindows: SyncWindow[]) =>
  ({ metadata: { name: 'blue', namespace: 'argocd' }, spec: { syncWindows } }) as AppProject;
const at = (time: string) => Date.parse(`2026-03-02T${time}:00Z`);
/** Every day from 22:00 for two hours. */
const night = (fields: Partial<SyncWindow> = {}): SyncWindow => ({
  kind: 'deny',
  schedule: '0 22 * * *',
  duration: '2h',
  applications: ['*'],
  ...fields,
});

test('windows speak of applications by any of their lists, or by all with andOperator', () => {
  const table: [Partial<SyncWindow>, boolean][] = [
    [{ applications: ['sh*'] }, true],
    [{ applications: ['other'] }, false],
    [{ applications: [], namespaces: ['prod'] }, true],
    [{ applications: [], clusters: ['https://*'] }, true],
    [{ applications: [] }, false],
    [{ applications: ['other'], namespaces: ['prod'] }, true],
    [{ applications: ['other'], namespaces: ['prod'], andOperator: true }, false],
    [{ applications: ['shop'], namespaces: ['prod'], andOperator: true }, true],
  ];
  for (const [fields, matches] of table)
    assert.equal(windowsOf(project(night(fields)), application).length === 1, matches, JSON.stringify(fields));
});

test('a window is open from its schedule for its duration, in its time zone', () => {
  const table: [SyncWindow, string, boolean][] = [
    [night(), '21:59', false],
    [night(), '22:01', true],
    [night(), '23:59', true],
    [night({ duration: '30m' }), '22:31', false],
    [night({ timeZone: 'Europe/Berlin' }), '21:30', true],
    [night({ timeZone: 'Europe/Berlin' }), '23:30', false],
    [night({ timeZone: 'Mars/Olympus' }), '22:30', true],
  ];
  for (const [window, time, open] of table)
    assert.equal(isActive(window, at(time)), open, `${time} ${JSON.stringify(window)}`);
});

test('syncs are blocked by open deny windows and closed allow windows', () => {
  const allow = night({ kind: 'allow' });
  const table: [SyncWindow[], string, boolean, boolean][] = [
    [[night()], '21:00', false, false],
    [[night()], '22:30', false, true],
    [[night()], '22:30', true, true],
    [[night({ manualSync: true })], '22:30', true, false],
    [[night({ manualSync: true })], '22:30', false, true],
    [[night({ manualSync: true }), night()], '22:30', true, true],
    [[allow], '22:30', false, false],
    [[allow], '21:00', false, true],
    [[{ ...allow, manualSync: true }], '21:00', true, false],
    [[allow, night()], '22:30', false, true],
    [[], '22:30', false, false],
  ];
  for (const [windows, time, manual, blocked] of table)
    assert.equal(
      syncBlock(project(...windows), application, at(time), { manual }) !== undefined,
      blocked,
      `${time} manual ${manual} ${JSON.stringify(windows)}`,
    );
});

test('a sync that began in time goes on only where all windows let it overrun', () => {
  const blocked = (startedAt: string, ...windows: SyncWindow[]) =>
    syncBlock(project(...windows), application, at('22:30'), { manual: false, startedAt: at(startedAt) }) !== undefined;
  assert.equal(blocked('21:50', night({ syncOverrun: true })), false);
  assert.equal(blocked('21:50', night()), true);
  assert.equal(blocked('22:10', night({ syncOverrun: true })), true);
  const day = night({ kind: 'allow', schedule: '0 20 * * *', duration: '2h', syncOverrun: true });
  assert.equal(blocked('21:50', day), false);
  assert.equal(blocked('19:00', day), true);
});

test('the diagnosis names the window and when it ends', () => {
  const told = (window: SyncWindow, time: string) => {
    const block = syncBlock(project(window), application, at(time), { manual: false });
    return block && blockDiagnosis(block, project(window)).message;
  };
  assert.equal(
    told(night(), '22:30'),
    'Sync operation blocked by sync window: deny 0 22 * * * for 2h until 2026-03-03T00:00:00Z',
  );
  assert.equal(
    told(night({ kind: 'allow' }), '10:00'),
    'Sync operation blocked by sync window: outside of allow 0 22 * * * for 2h until 2026-03-02T22:00:00Z',
  );
  assert.equal(
    told(night({ schedule: '* * * * *', duration: '1h' }), '10:00'),
    'Sync operation blocked by sync window: deny * * * * * for 1h',
  );
});

test('a window that cannot be read blocks, with its reason', () => {
  const table: [Partial<SyncWindow>, RegExp][] = [
    [{ schedule: 'sometimes' }, /^cannot parse schedule 'sometimes'/],
    [{ duration: '1d' }, /^cannot parse duration '1d'/],
    [{ duration: '60' }, /^cannot parse duration '60'/],
    [{ kind: 'maybe' }, /^kind 'maybe' mismatch: can only be allow or deny/],
    [{ description: 'x'.repeat(256) }, /^description must not exceed 255 characters/],
  ];
  for (const [fields, problem] of table) assert.match(windowProblem(night(fields)) ?? '', problem);
  assert.match(
    String(blockingWindow(project(night({ duration: '1d' })), application, at('10:00'))),
    /invalid sync window/,
  );
  assert.equal(windowProblem(night()), undefined);
});
