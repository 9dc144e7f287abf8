import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantOf } from './instant.ts';

test('times are read as people write them', () => {
  const now = new Date(2026, 0, 31, 12, 0, 0).getTime();
  const local = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime();
  assert.equal(instantOf('10:00', now), local(2026, 0, 31, 10, 0));
  assert.equal(instantOf('13:00', now), local(2026, 0, 30, 13, 0));
  assert.equal(instantOf('2026-01-02', now), local(2026, 0, 2, 0, 0));
  assert.equal(instantOf('2026-01-02T03:04:05Z', now), Date.UTC(2026, 0, 2, 3, 4, 5));
  assert.equal(instantOf('2h', now), now - 7_200_000);
  for (const text of ['', 'soon', '25:00', '10:99', '2026-13-45', '-2h'])
    assert.equal(instantOf(text, now), undefined, text);
});
