import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTexts } from '../../i18n/texts.ts';
import { facetWords } from './facet-words.ts';

test('states are translated, names are not, though they are words', async () => {
  await loadTexts('de');
  assert.equal(facetWords('health', 'Healthy'), 'Gesund');
  assert.equal(facetWords('destination', 'preview'), 'preview');
  assert.equal(facetWords('project', ''), 'keine');
  await loadTexts('en');
});
