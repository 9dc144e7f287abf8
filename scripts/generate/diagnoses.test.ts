import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLayers } from '../checks/check-layers.ts';
import { diagnosesPage } from './diagnoses.ts';

test('docs/diagnoses.md lists every kind of failure that is declared', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'diagnoses.md'), 'utf8');
  assert.equal(page, await diagnosesPage(), 'run: npm run generate');
});

test('no package imports past its layer', () => {
  assert.deepEqual(checkLayers(), []);
});
