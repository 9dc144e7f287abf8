import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLicences, checkLock, vulnerabilities } from './check-dependencies.ts';

test('checkLicences() finds what is not allowed', () => {
  const lock = (license: unknown) =>
    JSON.stringify({ packages: { 'node_modules/x': { license }, 'packages/y': { license: 'none' } } });
  for (const fine of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC']) assert.deepEqual(checkLicences(lock(fine)), [], fine);
  for (const wrong of ['GPL-3.0', 'MIT AND GPL-3.0', undefined, 'SEE LICENSE IN x'])
    assert.equal(checkLicences(lock(wrong)).length, 1, String(wrong));
});

test('checkLicences() allows single packages only the licence that was decided on', () => {
  const lock = (license: string) =>
    JSON.stringify({ packages: { 'node_modules/x/node_modules/openpgp': { license } } });
  assert.deepEqual(checkLicences(lock('LGPL-3.0+')), []);
  for (const other of ['AGPL-3.0', 'MIT']) assert.equal(checkLicences(lock(other)).length, 1, other);
});

test('checkLock() finds what npm ci could not install elsewhere', () => {
  const integrity = 'sha512-x';
  const lock = (packages: Record<string, object>) => checkLock(JSON.stringify({ packages }));
  const parent = { integrity, optionalDependencies: { 'x-darwin': '1' } };
  assert.equal(lock({ 'node_modules/x': parent }).length, 1);
  for (const place of ['node_modules/x-darwin', 'node_modules/x/node_modules/x-darwin'])
    assert.deepEqual(lock({ 'node_modules/x': parent, [place]: { integrity } }), [], place);
  assert.equal(lock({ 'node_modules/x': parent, 'node_modules/y/node_modules/x-darwin': { integrity } }).length, 1);
  assert.equal(lock({ 'node_modules/x': {} }).length, 1);
  assert.equal(lock({ 'node_modules/x': { integrity, resolved: 'https://registry.invalid/x.tgz' } }).length, 1);
  assert.deepEqual(lock({ 'node_modules/x': { link: true, resolved: 'packages/x' }, 'packages/x': {} }), []);
});

test('vulnerabilities() tells the grave ones, and nothing where there was no answer', () => {
  const of = (severity: string) => JSON.stringify({ vulnerabilities: { x: { severity, range: '<1' } } });
  assert.deepEqual(vulnerabilities(of('critical')), ['package-lock.json:1: x <1 has a known flaw (critical)']);
  assert.deepEqual(vulnerabilities(of('low')), []);
  for (const none of ['', 'ENOTFOUND', '{"message": "offline"}']) assert.equal(vulnerabilities(none), undefined);
});
