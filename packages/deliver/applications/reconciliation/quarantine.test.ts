import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { quarantine, quarantineBlock, quarantinedAs, quarantineOf, releaseFromQuarantine } from './quarantine.ts';

const application = (annotations?: Record<string, string>) =>
  ({ metadata: { name: 'shop', namespace: 'cd', ...(annotations ? { annotations } : {}) } }) as Application;

test('a revision in quarantine is refused with the reason until a newer one comes', () => {
  const shop = application({ other: 'kept' });
  quarantine(shop, {
    revisions: ['bad'],
    at: '2026-01-01T00:00:00Z',
    reason: 'its pods never became ready',
    code: 'X',
  });
  const block = quarantineBlock(shop, { revisions: ['bad'] });
  assert.equal(block?.code, 'RevisionQuarantined');
  assert.match(block.message, /bad.*never became ready/);
  assert.equal(quarantineBlock(shop, { revisions: ['good'] }), undefined);
  assert.equal(quarantineBlock(shop, { revisions: ['bad', 'other'] }), undefined);
  assert.equal(shop.metadata.annotations?.other, 'kept');
});

test('other revisions that give the same are held up too, and the same revision is not once it gives something else', () => {
  const shop = application();
  quarantine(shop, { revisions: ['bad'], at: 'now', reason: 'x', render: 'r1' });
  assert.match(
    quarantineBlock(shop, { revisions: ['newer'], render: 'r1' })?.message ?? '',
    /newer gives the same manifests as bad/,
  );
  assert.equal(quarantineBlock(shop, { revisions: ['bad'], render: 'r2' }), undefined);
  assert.equal(quarantineBlock(shop, { revisions: ['bad'] })?.code, 'RevisionQuarantined');
});

test('entries are replaced by revision, bounded, and let out one by one or all', () => {
  const shop = application();
  for (let index = 0; index < 12; index++)
    quarantine(shop, { revisions: [`r${index}`], at: `${index}`, reason: 'x'.repeat(2_000) });
  quarantine(shop, { revisions: ['r11'], at: 'later', reason: 'again' });
  assert.deepEqual(
    quarantineOf(shop).map(({ revisions }) => revisions[0]),
    ['r11', 'r10', 'r9', 'r8', 'r7', 'r6', 'r5', 'r4', 'r3', 'r2'],
  );
  assert.equal(quarantinedAs(shop, { revisions: ['r11'] })?.reason, 'again');
  assert.equal(releaseFromQuarantine(shop, ['r10']), true);
  assert.equal(releaseFromQuarantine(shop, ['r10']), false);
  assert.equal(quarantineBlock(shop, { revisions: ['r10'] }), undefined);
  assert.equal(releaseFromQuarantine(shop), true);
  assert.deepEqual(shop.metadata.annotations, {});
});

test('an annotation that somebody spoilt holds nothing', () => {
  for (const text of [
    '',
    'x',
    '{}',
    '[1,null,{"revisions":[]},{"revisions":[1],"at":"","reason":""}]',
    '['.repeat(20_000),
  ])
    assert.deepEqual(quarantineOf(application({ 'tiphys.dev/quarantined-revisions': text })), []);
});
