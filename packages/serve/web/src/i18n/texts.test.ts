import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { german } from './german/index.ts';
import { japanese } from './japanese/index.ts';
import { loadTexts, t } from './texts.ts';

test('the catalogues have the same texts, with the same values in them', () => {
  assert.deepEqual(Object.keys(german).sort(), Object.keys(japanese).sort());
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const catalogue of [german, japanese])
    for (const [text, translated] of Object.entries(catalogue))
      assert.deepEqual(values(translated), values(text), text);
});

test('every text that the page writes is in the catalogues', () => {
  const sources = join(import.meta.dirname, '..');
  const texts = globSync('**/*.{ts,tsx}', { cwd: sources })
    .filter((file) => !file.startsWith('i18n') && !file.includes('.test.') && !/gallery|icon\.tsx/.test(file))
    .map((file) => readFileSync(join(sources, file), 'utf8'));
  const written = texts.flatMap((text) =>
    [...text.matchAll(/\bt\(\s*(?:'([^'\n]*)'|"([^"\n]*)")/g)].map(([, single, double]) => single ?? double ?? ''),
  );
  // the heads of tables are translated by the table
  const heads = texts.flatMap((text) =>
    [...text.matchAll(/\bheads=\{\[([^\]]*)\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, head = '']) => head),
    ),
  );
  // so are fields of forms with their help, titles of pages, and what is wrong with a field
  const given = texts.flatMap((text) =>
    [
      ...text.matchAll(/\b(?:title|about|action|label|help)(?:=|:\s*)(?:'([A-Z][^'\n]*)'|"([A-Z][^"\n]*)")/g),
      ...text.matchAll(/\? undefined\s*: (?:'([A-Z][^'\n]*)'|"([A-Z][^"\n]*)")/g),
    ].map(([, single, double]) => single ?? double ?? ''),
  );
  // and what keys do
  const sheet = texts.flatMap((text) =>
    [...text.matchAll(/^ {2}\[\[(?:'[^']+'(?:, )?)+\], '([^'\n]+)'\],$/gm)].map(([, what = '']) => what),
  );
  assert.ok(sheet.length > 5);
  const told = [...written, ...heads, ...given, ...sheet].filter((text) => !names.has(text));
  assert.deepEqual(
    [...new Set(told)].filter((text) => !Object.hasOwn(german, text)),
    [],
  );
});

/** What is called so in every language. */
const names: ReadonlySet<string> = new Set(['HTML', 'Markdown', 'Helm', 'Kustomize', 'YAML']);

test('t() fills values in, translates, and leaves what it does not know', async () => {
  assert.equal(t('{count} selected', { count: 3 }), '3 selected');
  await loadTexts('de');
  assert.equal(t('{count} selected', { count: 3 }), '3 ausgewählt');
  assert.equal(t('No such text'), 'No such text');
  await loadTexts('en');
  assert.equal(t('Applications'), 'Applications');
});
