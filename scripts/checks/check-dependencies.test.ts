import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLicences, vulnerabilities } from './check-dependencies.ts';

test('checkLicences() finds what is not allowed', () => {
  const lock = (license: unknown) =>
    JSON.stringify({ packages: { 'node_modules/x': { license, resolved: 'x' }, 'packages/y': { license: 'none' } } });
  for (const fine of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC']) assert.deepEqual(checkLicences(lock(fine)), [], fine);
  for (const wrong of ['GPL-3.0', 'MIT AND GPL-3.0', undefined, 'SEE LICENSE IN x'])
    assert.equal(checkLicences(lock(wrong)).length, 1, String(wrong));
});

test('vulnerabilities() tells the grave ones, and nothing where there was no answer', () => {
  const of = (severity: string) => JSON.stringify({ vulnerabilities: { x: { severity, range: '<1' } } });
  assert.deepEqual(vulnerabilities(of('critical')), ['package-lock.json:1: x <1 has a known flaw (critical)']);
  assert.deepEqual(vulnerabilities(of('low')), []);
  for (const none of ['', 'ENOTFOUND', '{"message": "offline"}']) assert.equal(vulnerabilities(none), undefined);
});
