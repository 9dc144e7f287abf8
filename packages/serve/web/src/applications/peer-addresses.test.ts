import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownApplicationTab, ownListSearch, ownObjectTab, ownTreeSearch } from './peer-addresses.ts';

const list = (text: string) => ownListSearch(new URLSearchParams(text)).toString();
const query = (text: string) => new URLSearchParams(text);

test('ownListSearch() reads the filters of bookmarks from Argo CD', () => {
  assert.equal(
    list('proj=pay,shop&sync=OutOfSync,Unknown&health=&namespace=web&labels=team%253Dpay&search=api&view=list'),
    'view=list&project=pay&project=shop&destination=web&label=team%3Dpay&sync=OutOfSync&sync=Unknown&text=api',
  );
  assert.equal(
    list('cluster=in-cluster+(https%3A%2F%2Fkubernetes.default.svc)&autoSync=Enabled&showFavorites=true'),
    'cluster=in-cluster&autoSync=on&favourites=true',
  );
});

test('ownListSearch() leaves our own addresses as they are', () => {
  const own = 'text=a&health=Degraded&health=Missing&cluster=in-cluster&autoSync=off&label=team%3Dpay&sort=name';
  assert.equal(list(own), own);
});

test('tabs and filters of an application are those that its address asks for', () => {
  assert.equal(ownObjectTab(query('node=/Pod/shop/web/0&tab=exec')), 'terminal');
  assert.equal(ownObjectTab(query('node=/Pod/shop/web/0&tab=constructor')), undefined);
  assert.equal(ownApplicationTab(query('node=argoproj.io/Application/argocd/shop/0&tab=parameters'), 'shop'), 'edit');
  assert.equal(ownApplicationTab(query('node=argoproj.io/Application/argocd/child/0&tab=diff'), 'shop'), undefined);
  assert.equal(ownApplicationTab(query('rollback=0'), 'shop'), 'history');
  assert.equal(
    ownTreeSearch(query('resource=kind:Pod,health:Degraded,name:web&view=tree')).toString(),
    'view=tree&kind=Pod&health=Degraded&text=web',
  );
});
