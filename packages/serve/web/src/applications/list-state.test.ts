import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterCount, listQuery, readListState, toggleValue, writeListState } from './list-state.ts';

test('writeListState() writes what readListState() reads, and nothing of what is as usual', () => {
  const address = 'text=shop&health=Degraded&health=Missing&label=team%3Dpay&favourites=true&sort=-name&view=list';
  assert.equal(writeListState(readListState(new URLSearchParams(address))), address);
  assert.equal(writeListState(readListState(new URLSearchParams('view=tiles&sort=urgency&nothing=x'))), '');
});

test('toggleValue() adds a value and takes it away', () => {
  const none = readListState(new URLSearchParams());
  const one = toggleValue(none, 'project', 'pay');
  assert.deepEqual(one.chosen, { project: ['pay'] });
  assert.equal(filterCount(one), 1);
  assert.deepEqual(toggleValue(one, 'project', 'pay').chosen, {});
});

test('listQuery() asks for favourites by name, and for nothing where there are none', () => {
  const state = readListState(new URLSearchParams('favourites=true&view=list'));
  assert.equal(listQuery(state, ['argocd/a', 'argocd/b']), 'only=argocd%2Fa%2Cargocd%2Fb');
  assert.equal(listQuery(state, []), 'only=%2F');
});
