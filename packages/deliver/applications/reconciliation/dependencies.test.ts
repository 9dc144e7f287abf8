import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { Dependents, deletionBlock, dependencyBlock } from './dependencies.ts';

type Given = { on?: string; sync?: string; health?: string; running?: boolean; deleting?: boolean };

function world(given: Readonly<Record<string, Given>>) {
  const all = new Map(
    Object.entries(given).map(([name, { on, sync = 'Synced', health = 'Healthy', running, deleting }]) => {
      const application = {
        metadata: {
          namespace: 'cd',
          name,
          ...(on ? { annotations: { 'tiphys.dev/depends-on': on } } : {}),
          ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
        },
        spec: {},
        status: {
          sync: { status: sync },
          health: { status: health },
          ...(running ? { operationState: { phase: 'Running' } } : {}),
        },
      };
      return [`cd/${name}`, application as unknown as Application];
    }),
  );
  const find = (key: string) => all.get(key);
  return { find, get: (name: string) => all.get(`cd/${name}`) as Application };
}

test('an application waits for those that it names until they are synced, healthy and at rest', () => {
  const ready = world({ web: { on: 'db, cd/cache' }, db: {}, cache: {} });
  assert.equal(dependencyBlock(ready.get('web'), ready.find), undefined);
  assert.equal(dependencyBlock(ready.get('db'), ready.find), undefined);
  for (const state of [{ sync: 'OutOfSync' }, { health: 'Progressing' }, { running: true }, { deleting: true }]) {
    const { get, find } = world({ web: { on: 'db' }, db: state });
    const block = dependencyBlock(get('web'), find);
    assert.equal(block?.notice, true, JSON.stringify(state));
    assert.match(block?.diagnosis.message ?? '', /waits for cd\/db \(/);
  }
});

test('a missing application and a circle are errors; one that merely leads to a circle waits', () => {
  const { get, find } = world({
    a: { on: 'b' },
    b: { on: 'c' },
    c: { on: 'a' },
    lost: { on: 'nobody' },
    outside: { on: 'a' },
  });
  assert.match(dependencyBlock(get('a'), find)?.diagnosis.message ?? '', /itself: cd\/a → cd\/b → cd\/c → cd\/a/);
  assert.match(dependencyBlock(get('lost'), find)?.diagnosis.message ?? '', /cd\/nobody, which is not there/);
  assert.equal(dependencyBlock(get('outside'), find), undefined);
});

test('deletion goes the other way round, but not in a circle', () => {
  const { get, find } = world({
    db: { deleting: true },
    web: { on: 'db', deleting: true },
    stays: { on: 'db' },
    x: { on: 'y' },
    y: { on: 'x' },
  });
  assert.match(
    deletionBlock(get('db'), [get('web'), get('stays')], find)?.message ?? '',
    /waits for cd\/web, which depends on/,
  );
  assert.equal(deletionBlock(get('db'), [get('stays')], find), undefined);
  assert.equal(deletionBlock(get('x'), [get('y')], find), undefined);
});

test('dependents are known by what they name now', () => {
  const { get } = world({ web: { on: 'db, cache' }, api: { on: 'db' } });
  const dependents = new Dependents();
  dependents.note('cd/web', get('web'));
  dependents.note('cd/api', get('api'));
  assert.deepEqual(dependents.of('cd/db'), ['cd/web', 'cd/api']);
  dependents.note('cd/web', undefined);
  assert.deepEqual([dependents.of('cd/db'), dependents.of('cd/cache')], [['cd/api'], []]);
});
