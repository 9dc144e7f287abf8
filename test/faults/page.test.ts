import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import { World } from '../e2e/support/world.ts';
import { noBrowser, WebPage } from '../e2e/web/web-page.ts';
import { shownBy } from './fault.ts';
import { prepare } from './run-fault.ts';
import { applicationFaults } from './table.ts';

/** Rows of every kind: of a file, a chart, a refusal, a pod, a revision, a definition. */
const sample = [
  'a tab in YAML',
  'a template reads a value that nobody set',
  'a branch that is gone',
  'a kind of Kubernetes in wrong letters',
  'claims of a StatefulSet that cannot be changed',
  'an image that does not exist',
];

describe('the page shows a fault once, with cause and remedy, and shows nothing of it after its end', {
  skip: noBrowser,
}, () => {
  let world: World;
  let web: WebPage;
  before(async () => {
    world = await World.start({ web: true });
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  for (const [index, title] of sample.entries())
    test(title, async () => {
      const fault = applicationFaults.find((row) => row.title === title);
      assert.ok(fault, 'the row is in the tables');
      const stage = await prepare(world, fault, `page-${index}`);
      try {
        await world.healthy(stage.name);
        await fault.inject?.(stage);
        const told = await stage.until(fault.code, (application) =>
          shownBy(application).some(({ code }) => code === fault.code),
        );
        const shown = shownBy(told).find(({ code }) => code === fault.code) as Diagnosis;
        await web.application(stage.name);
        const panels = web.page.locator('section.diagnosis', { hasText: fault.code });
        await panels.first().waitFor();
        assert.equal(await panels.count(), 1, 'one panel');
        const text = ((await panels.first().textContent()) ?? '').replaceAll(/\s+/g, ' ');
        const cause = shown.message.slice(0, 60).replaceAll(/\s+/g, ' ').trim();
        assert.ok(text.includes(cause), `the cause "${cause}" in: ${text}`);
        const remedy = shown.remedies[0]?.text ?? '';
        assert.equal(text.split(remedy).length - 1, 1, `the remedy once: ${remedy}`);
        // what `argocd app get` prints, which knows no diagnoses
        await stage.until(`${fault.code} in the conditions or the operation`, ({ status }) =>
          [...(status?.conditions ?? []), status?.operationState ?? {}].some((part) =>
            ((part as { message?: string }).message ?? '').includes(shown.message.slice(0, 60)),
          ),
        );
        await fault.mend?.(stage);
        await web.page.locator('section.diagnosis', { hasText: fault.code }).waitFor({ state: 'detached' });
      } finally {
        await stage.end();
      }
      assert.deepEqual(web.faults, []);
    });
});
