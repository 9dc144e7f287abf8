import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReached, readConditions } from './conditions.ts';
import { readFlags } from './flags.ts';
import { printPath } from './json-path.ts';

const job = {
  metadata: { name: 'j', labels: { 'app.kubernetes.io/name': 'x' } },
  status: {
    succeeded: 2,
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Complete', status: 'False' },
    ],
  },
};

test('conditions are selectors over the fields of an object', () => {
  const reached = (success: string, failing = '') => isReached(job, readConditions(success, failing));
  assert.ok(reached('status.succeeded > 1'));
  assert.ok(!reached('status.succeeded > 2'));
  assert.ok(reached('status.phase in (Running, Succeeded)'));
  assert.ok(reached('status.phase != Failed'));
  assert.ok(reached('!status.failed, status.phase == Running'));
  assert.ok(reached(''));
  assert.ok(!reached('status.__proto__'));
  assert.ok(!reached('status.phase == Succeeded', 'status.failed > 0'));
  assert.throws(
    () => reached('', 'status.phase == Running'),
    /failure condition 'status.phase=Running' evaluated true/,
  );
  assert.throws(() => reached('status.phase ~ x'), /successCondition 'status.phase ~ x' failed to parse/);
});

test("kubectl's paths print what they find", () => {
  assert.equal(printPath(job, '{.metadata.name}'), 'j');
  assert.equal(printPath(job, 'name={.metadata.name}, {.status.succeeded}'), 'name=j, 2');
  assert.equal(printPath(job, '{.status.conditions[*].type}'), 'Ready Complete');
  assert.equal(printPath(job, '{.status.conditions[-1].type}'), 'Complete');
  assert.equal(printPath(job, '{.status.conditions[?(@.type=="Ready")].status}'), 'True');
  assert.equal(printPath(job, '{.metadata.labels[\'app.kubernetes.io/name\']}{"\\n"}'), 'x\n');
  assert.equal(printPath(job, '{.status.conditions[0]}'), '{"type":"Ready","status":"True"}');
  assert.throws(() => printPath(job, '{.metadata.uid}'), /uid .* is not found/);
  assert.throws(() => printPath(job, '{.metadata'), /without/);
  assert.throws(() => printPath(job, '{range .items}'), /cannot read/);
});

test('flags of kubectl are understood or refused', () => {
  assert.deepEqual(readFlags(['configmap', 'settings', '--namespace', 'other', '--ignore-not-found']), {
    words: ['configmap', 'settings'],
    namespace: 'other',
    serverSide: false,
    force: false,
    fieldManager: 'argo-workflows',
    ignoreNotFound: true,
    dryRun: false,
  });
  assert.equal(readFlags(['--cascade=orphan']).cascade, 'Orphan');
  assert.equal(readFlags(['--grace-period 0']).gracePeriod, 0);
  assert.ok(readFlags(['--server-side', '--force-conflicts', '--validate=false']).serverSide);
  assert.throws(() => readFlags(['--prune']), /The flag --prune of the resource template is not known/);
});
