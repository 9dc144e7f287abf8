import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { german } from './german/index.ts';
import { loadTexts } from './texts.ts';
import { told, toldTexts } from './told.ts';

afterEach(() => loadTexts('en'));

test('told() puts sentences of the server into the language of the page', async () => {
  await loadTexts('de');
  assert.equal(told('Updated health status: Progressing -> Healthy'), 'Zustand geändert: In Arbeit → Gesund');
  assert.equal(told("Initiated automated sync to 'abc'"), "Automatische Synchronisation auf 'abc' begonnen");
  assert.equal(
    told('Sync to abc1234 succeeded: successfully synced (all tasks run)'),
    'Synchronisation auf abc1234 erfolgreich: alles ausgeführt',
  );
  assert.equal(
    told('alice initiated partial sync to main (abc)'),
    'alice hat eine teilweise Synchronisation auf main (abc) begonnen',
  );
  assert.equal(told('Health none → Healthy'), 'Zustand keine → Gesund');
  assert.equal(told('controller'), 'Controller');
});

test('told() leaves what it does not know, and everything in English', async () => {
  await loadTexts('de');
  for (const text of ['Scaled up replica set web-1 from 0 to 2', 'Updated health status', '', 'a controller'])
    assert.equal(told(text), text);
  await loadTexts('en');
  assert.equal(told('Sync status none → Synced'), 'Sync status none → Synced');
});

test('each sentence that told() knows is in the catalogues', () => {
  assert.deepEqual(
    toldTexts.filter((text) => !Object.hasOwn(german, text)),
    [],
  );
});
