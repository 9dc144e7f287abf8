import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartCases, templateArguments } from './chart-cases.ts';
import { readGoldens, withoutRoot } from './goldens.ts';
import { difference, isSame, renderHere } from './rendering.ts';

const root = join(import.meta.dirname, '..', '..');
const goldens = readGoldens();
const charts = chartCases(join(root, 'test/charts'));

test('helm was asked about every chart, and only about charts that are there', () => {
  const asked = Object.entries(goldens).map(([name, printed]) => `${name}: ${Object.keys(printed).join(' | ')}`);
  const wanted = charts.map(({ name, flags }) => `${name}: ${flags.map((list) => list.join(' ')).join(' | ')}`);
  assert.deepEqual(asked, wanted, 'record again: npm run test:parity -- --record');
});

for (const { name, path, flags } of charts) {
  test(`the chart "${name}" prints what helm printed, byte for byte`, async () => {
    for (const list of flags) {
      const real = goldens[name]?.[list.join(' ')];
      assert.ok(real, `helm was not asked about ${list.join(' ')}`);
      const ours = withoutRoot(await renderHere(templateArguments(path, list), root), root);
      assert.ok(isSame(real, ours), `${list.join(' ')}\n${difference(real, ours)}`);
    }
  });
}
