import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regexpBreaches } from './check-regexps.ts';

test('regexpBreaches() finds what takes exponential time', () => {
  for (const literal of ['/^(a+)+$/', '/^\\/+(\\.?\\/*)*$/', '/^(\\s|#.*)*$/', '/^(\\d+\\.?\\d*m)+$/'])
    assert.match(regexpBreaches('a.ts', `const x = 1;\nconst p = ${literal};`).join(), /^a\.ts:2: .* exponential/);
  assert.match(regexpBreaches('a.ts', "const a = '(a+)+';\nconst b = new RegExp(`^${a}$`);").join(), /^a\.ts:2: /);
  for (const literal of ['/^(a+b)+$/', '/(?<!\\s)\\s+$/', '/^[./]*$/'])
    assert.deepEqual(regexpBreaches('a.ts', `const p = ${literal};`), []);
});

test('regexpBreaches() finds what seeks the end of a run from each of its places', () => {
  for (const literal of ['/\\s+$/', '/^-+|-+$/g', '/\\/*$/'])
    assert.match(regexpBreaches('a.ts', `const p = ${literal};`).join(), /^a\.ts:1: .* quadratic/);
  for (const literal of ['/(?<!\\/)\\/+$/', '/\\d{1,9}$/', '/^a+$/'])
    assert.deepEqual(regexpBreaches('a.ts', `const p = ${literal};`), []);
});

test('regexpBreaches() finds expressions made from what is not constant', () => {
  for (const made of ['new RegExp(given)', 'RegExp(given)', 'new RegExp(`^${given}$`)', 'new RegExp("a" + given)'])
    assert.match(regexpBreaches('a.ts', `export const f = (given: string) => ${made};`).join(), /made from a variable/);
  for (const made of ['new RegExp(`^${RegExp.escape(given)}/.*$`)', "new RegExp('a' + 1, 'g')"])
    assert.deepEqual(regexpBreaches('a.ts', `export const f = (given: string) => ${made};`), []);
});
