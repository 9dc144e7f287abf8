import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeCase } from './kustomization-cases.ts';
import { difference, ownCases, readKustomizeGoldens } from './kustomize.ts';
import { buildHere } from './kustomize-rendering.ts';

const goldens = readKustomizeGoldens();
const cases = ownCases();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tiphys-kustomize-')));
after(() => rmSync(folder, { recursive: true, force: true }));

test('kustomize was asked about every case, and only about cases that are there', () => {
  const asked = Object.entries(goldens).flatMap(([feature, printed]) =>
    Object.keys(printed).map((name) => `${feature}/${name}`),
  );
  assert.deepEqual(
    asked,
    cases.map(({ feature, name }) => `${feature}/${name}`),
    'record again: npm run test:parity -- --record',
  );
});

for (const feature of new Set(cases.map((one) => one.feature))) {
  test(`the cases of ${feature} print what kustomize printed, byte for byte`, async () => {
    for (const one of cases) {
      if (one.feature !== feature) continue;
      const real = goldens[feature]?.[one.name];
      assert.ok(real);
      const ours = await buildHere(folder, [writeCase(folder, one), ...one.flags]);
      const words = difference(real, ours);
      assert.equal(words, undefined, `${feature}/${one.name}\n${words}`);
    }
  });
}
