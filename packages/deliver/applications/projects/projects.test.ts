import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppProject } from '@tiphys/api';
import { destinationDenial, objectDenial, sourceDenial } from './projects.ts';

const project = (spec: AppProject['spec']) => ({ metadata: { name: 'blue' }, spec }) as AppProject;
const destination = { server: 'https://east', name: 'east', namespace: 'shop' };

test('sources are permitted by globs that stop at slashes, and a denial wins', () => {
  const table: [string[] | undefined, string, boolean][] = [
    [undefined, 'https://example.com/shop', false],
    [['*'], 'https://example.com/shop', true],
    [['https://example.com/*'], 'https://example.com/shop', true],
    [['https://example.com/*'], 'https://example.com/team/shop', false],
    [['https://example.com/**'], 'https://example.com/team/shop', true],
    [['https://example.com/shop'], 'https://example.com/Shop.git', true],
    [['*', '!https://example.com/shop'], 'https://example.com/shop', false],
    [['*', '!https://example.com/shop'], 'https://example.com/other', true],
    // as upstream: a denial that does not match permits
    [['!https://example.com/shop'], 'https://example.com/other', true],
    [['git@example.com:team/*'], 'git@example.com:team/shop.git', true],
  ];
  for (const [sourceRepos, repoURL, permitted] of table) {
    const denial = sourceDenial(project(sourceRepos ? { sourceRepos } : {}), { repoURL });
    assert.equal(denial === undefined, permitted, `${sourceRepos} ${repoURL}`);
    if (denial) assert.equal(denial.message, `application repo ${repoURL} is not permitted in project 'blue'`);
  }
});

test('destinations are permitted by server or name together with the namespace, and a denial wins', () => {
  const table: [NonNullable<AppProject['spec']['destinations']>, boolean][] = [
    [[], false],
    [[{ server: '*', namespace: '*' }], true],
    [[{ name: 'east', namespace: 'shop' }], true],
    [[{ server: 'https://west', namespace: 'shop' }], false],
    [[{ server: 'https://east', namespace: 'sh*' }], true],
    [[{ server: '*', namespace: 'other' }], false],
    [
      [
        { server: '*', namespace: '*' },
        { server: '!https://east', namespace: '*' },
      ],
      false,
    ],
    [
      [
        { server: '*', namespace: '*' },
        { server: '*', namespace: '!shop' },
      ],
      false,
    ],
    [
      [
        { server: '*', namespace: '*' },
        { server: '*', namespace: '!kube-system' },
      ],
      true,
    ],
  ];
  for (const [destinations, permitted] of table)
    assert.equal(
      destinationDenial(project({ destinations }), destination) === undefined,
      permitted,
      JSON.stringify(destinations),
    );
});

test('namespaced kinds are permitted unless listed otherwise, cluster-scoped ones only if listed', () => {
  const key = (kind: string, group = '', namespace = 'shop') => ({ group, kind, namespace, name: 'x' });
  const destinations = [{ server: 'https://east', namespace: 'shop' }];
  const permitted = (spec: AppProject['spec'], ...of: Parameters<typeof key>) =>
    objectDenial(project({ destinations, ...spec }), key(...of), of[2] !== '', destination) === undefined;
  assert.ok(permitted({}, 'ConfigMap'));
  assert.ok(!permitted({ namespaceResourceBlacklist: [{ group: '', kind: 'Config*' }] }, 'ConfigMap'));
  assert.ok(!permitted({ namespaceResourceWhitelist: [] }, 'ConfigMap'));
  assert.ok(permitted({ namespaceResourceWhitelist: [{ group: 'apps', kind: '*' }] }, 'Deployment', 'apps'));
  assert.ok(!permitted({}, 'Namespace', '', ''));
  assert.ok(permitted({ clusterResourceWhitelist: [{ group: '*', kind: '*' }] }, 'Namespace', '', ''));
  assert.ok(
    permitted({ clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'x' }] }, 'Namespace', '', ''),
  );
  assert.ok(
    !permitted({ clusterResourceWhitelist: [{ group: '', kind: 'Namespace', name: 'y' }] }, 'Namespace', '', ''),
  );
});

test('an object in another namespace needs a destination of its own', () => {
  const key = { group: '', kind: 'ConfigMap', namespace: 'other', name: 'x' };
  const only = project({ destinations: [{ server: 'https://east', namespace: 'shop' }] });
  assert.equal(
    objectDenial(only, key, true, destination)?.message,
    "namespace other is not permitted in project 'blue'",
  );
  assert.equal(
    objectDenial(project({ destinations: [{ server: '*', namespace: '*' }] }), key, true, destination),
    undefined,
  );
});

test('a repository that a rule names as another user or with another ending is another repository, as upstream', () => {
  const rules = (...sourceRepos: string[]) => project({ sourceRepos });
  const denied = (rule: string, repoURL: string) => sourceDenial(rules(rule), { repoURL }) !== undefined;
  assert.equal(denied('git@example.com:team/*', 'ssh://git@example.com/team/shop.git'), false);
  assert.equal(denied('ssh://git@example.com/team/shop', 'ssh://root@example.com/team/shop'), true);
  assert.equal(denied('https://example.com/shop', 'https://example.com/shop/'), true);
  assert.equal(denied('127.0.0.1:5000/charts', '10.0.0.1:5000/charts'), true);
});
