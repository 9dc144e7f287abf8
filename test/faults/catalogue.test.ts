import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogue } from './catalogue.ts';
import { familyFaults } from './family-faults.ts';
import { notificationFaults } from './notification-faults.ts';
import { setFaults } from './set-faults.ts';
import { applicationFaults } from './table.ts';
import { timeoutFaults } from './timeout-faults.ts';

const root = join(import.meta.dirname, '..', '..');
const rows = [...applicationFaults, ...timeoutFaults, ...notificationFaults, ...familyFaults, ...setFaults];
const ids = new Set(rows.map(({ id }) => id));

test('every failure of the catalogue has a row, a test elsewhere, or the reason why it has none', () => {
  const without = Object.entries(catalogue)
    .filter(([id, { elsewhere, missing }]) => !ids.has(id) && !elsewhere?.length && !missing)
    .map(([id]) => id);
  assert.deepEqual(without, []);
  const both = Object.entries(catalogue).filter(([id, { missing }]) => missing && ids.has(id));
  assert.deepEqual(both, [], 'what has a row is not missing');
});

test('the tests elsewhere are there', () => {
  for (const [id, { elsewhere = [] }] of Object.entries(catalogue))
    for (const { file, test: title } of elsewhere) {
      assert.ok(existsSync(join(root, file)), `${id}: ${file}`);
      assert.ok(readFileSync(join(root, file), 'utf8').includes(title), `${id}: ${file} has no ${title}`);
    }
});

test('a row is of the catalogue, or of a kind of failure that has no number', () => {
  const strange = [...ids].filter((id) => /^[A-Z]\d+$/.test(id) && !Object.hasOwn(catalogue, id));
  assert.deepEqual(strange, []);
});

test('no two rows have one id and title', () => {
  const names = rows.map(({ id, title }) => `${id}: ${title}`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('the tests of the five incidents are there', () => {
  const named = [...readFileSync(join(root, 'docs/incidents.md'), 'utf8').matchAll(/`(test\/\S+\.test\.ts)`/g)];
  assert.equal(named.length, 5);
  for (const [, file = ''] of named) assert.ok(existsSync(join(root, file)), file);
});
