import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationWords, kindWords, restParts, windowWords } from './projects.ts';

test('what a project permits is told in few words', () => {
  assert.equal(destinationWords({ server: 'https://a', namespace: 'shop' }), 'https://a / shop');
  assert.equal(destinationWords({ name: 'far', server: '', namespace: '' }), 'far / *');
  assert.equal(kindWords({ group: '*', kind: '*' }), '*');
  assert.equal(kindWords({ group: '', kind: 'ConfigMap' }), 'ConfigMap');
  assert.equal(kindWords({ group: 'apps', kind: 'Deployment' }), 'apps/Deployment');
  assert.equal(
    windowWords({ kind: 'deny', schedule: '0 22 * * *', duration: '8h', timeZone: 'Europe/Berlin', manualSync: true }),
    'deny 0 22 * * * for 8h (Europe/Berlin), manual syncs allowed',
  );
});

test('what few projects say is told where one does', () => {
  assert.deepEqual(restParts({ sourceRepos: ['*'] }), []);
  assert.deepEqual(
    restParts({
      sourceNamespaces: ['team-*'],
      clusterResourceBlacklist: [{ group: '', kind: 'Namespace' }],
      destinationServiceAccounts: [{ server: 'https://a', namespace: 'shop', defaultServiceAccount: 'deployer' }],
      orphanedResources: {},
    }).map(({ title, items }) => `${title}: ${items.join()}`),
    [
      'Refused cluster-scoped kinds: Namespace',
      'Namespaces of applications: team-*',
      'Syncs as: deployer in https://a / shop',
      'Orphaned objects: shown, with a warning',
    ],
  );
});
