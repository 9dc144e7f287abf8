import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml } from '../chart/load-values.ts';
import { readMetadata } from '../chart/metadata.ts';
import { lockDigest, printLock, readLock } from './chart-lock.ts';

const chart = (dependencies: string) =>
  readMetadata(readYaml(`apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n${dependencies}`)).dependencies ??
  [];
const lib = { name: 'lib', repository: 'file://../lib', version: '0.3.0' };

test('the digest of a lock is the one that helm writes', () => {
  const all = chart(
    [
      '- name: lib',
      '  version: 0.x',
      '  repository: file://../lib',
      '  alias: first',
      '  condition: first.enabled,global.first',
      '  tags: [a, b<c]',
      '  import-values:',
      '  - data',
      '  - child: a.b',
      '    parent: "x & y"',
      '- name: lib',
      '  version: ">=0.1, <1"',
      '  repository: file://../lib',
    ].join('\n'),
  );
  assert.equal(lockDigest(all, [lib, lib]), 'sha256:6c651df769cfd9467ab2a46cd69ce8cfb8b74fb0d8c744ac6a450608ff174992');
  const one = chart('- {name: lib, version: 0.x, repository: "file://../lib"}');
  assert.equal(lockDigest(one, [lib]), 'sha256:80fb2bbe951419b4ec572bab3a6b483b0de9f07b57564951fc302266b2586971');
});

test('a lock is printed as helm prints it, and read back', () => {
  const lock = { dependencies: [lib], digest: 'sha256:00', generated: '2026-11-21T09:22:31Z' };
  const text = printLock(lock);
  assert.equal(
    text,
    'dependencies:\n- name: lib\n  repository: file://../lib\n  version: 0.3.0\ndigest: sha256:00\ngenerated: "2026-11-21T09:22:31Z"\n',
  );
  assert.deepEqual(readLock(text), lock);
});

test('a lock of another shape is refused in the words of Go', () => {
  assert.throws(() => readLock('[]'), /cannot unmarshal array into Go value of type v2.Lock/);
  assert.throws(() => readLock('dependencies: 7'), /cannot unmarshal number into Go struct field/);
});
