import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RenderHistory, type SourceRender } from './render-history.ts';

const render = (
  changes: Partial<SourceRender> = {},
  files: Record<string, string> = { 'a.yaml': '1' },
): SourceRender => ({
  revision: 'one',
  sourceType: 'Directory',
  found: 'memory',
  digest: 'd',
  readSet: { paths: Object.entries(files).map(([path, oid]) => ({ path, oid })), settings: 's', facts: {} },
  ...changes,
});

const soft = { now: 0, hard: false };

test('a render that was found again says where, and that nothing has changed', () => {
  const history = new RenderHistory();
  history.note([render({ found: 'disk' })], soft);
  assert.deepEqual(
    history.accounts.map(({ why, times }) => [why, times]),
    [['Found on disk: the 1 path and the settings that are read are what they were', 1]],
  );
  history.note([render({ revision: 'two', found: 'shared' })], { now: 1000, hard: false });
  assert.match(history.accounts[0]?.why ?? '', /^Found in the shared cache: the revision moved, and touches nothing/);
});

test('a render anew says what has changed, or that nothing was kept, or who asked for it', () => {
  const history = new RenderHistory();
  history.note([render({ found: 'rendered' })], soft);
  history.note([render({ found: 'rendered' }, { 'a.yaml': '2', 'b.yaml': '1' })], soft);
  const settings = render({ found: 'rendered' }, { 'a.yaml': '2', 'b.yaml': '1' });
  history.note([{ ...settings, readSet: { ...settings.readSet, settings: 't', facts: { 'lookup x': '1' } } }], soft);
  history.note([render({ found: 'rendered' })], { now: 0, hard: true });
  assert.deepEqual(
    history.accounts.map(({ why }) => why),
    [
      'Rendered anew: a hard refresh was asked for',
      'Rendered anew: settings and 1 more changed',
      'Rendered anew: a.yaml and 1 more changed',
      'Rendered anew: nothing was kept for what is read',
    ],
  );
  assert.deepEqual(history.accounts[1]?.changed, ['settings', 'lookup x']);
});

test('equal inputs have equal digests; the same again is counted, and few are kept', () => {
  const history = new RenderHistory();
  for (let now = 0; now < 5000; now += 1000) history.note([render()], { now, hard: false });
  assert.equal(history.accounts.length, 1);
  const [account] = history.accounts;
  assert.deepEqual(
    [account?.times, account?.since, account?.until],
    [5, '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:04.000Z'],
  );
  history.note([render({ revision: 'two' }), render({ sourceType: '' })], soft);
  assert.equal(history.accounts.find(({ source }) => source === 0)?.inputs, account?.inputs);
  assert.match(history.accounts.find(({ source }) => source === 1)?.why ?? '', /^The source gives nothing itself/);
  for (let i = 0; i < 50; i++) history.note([render({ revision: `${i}` })], soft);
  assert.equal(history.accounts.length, 10);
});
