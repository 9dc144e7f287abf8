import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('the name that was meant is found among those that exist', () => {
  const names = ['replicas', 'selector', 'template', 'paused', 'env'];
  assert.equal(nearestName('replica', names), 'replicas');
  assert.equal(nearestName('tempalte', names), 'template');
  assert.equal(nearestName('Selector', names), 'selector');
  assert.equal(nearestName('evn', names), 'env');
  assert.equal(nearestName('image', names), undefined);
  assert.equal(nearestName('x'.repeat(100), names), undefined);
});
