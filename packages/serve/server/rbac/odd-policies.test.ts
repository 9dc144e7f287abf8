import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddPolicies } from './odd-policies.ts';

const told = (config: Record<string, string>) =>
  oddPolicies(config).map(({ message, place, remedies }) => [message, place?.field, remedies[0]?.text]);

test('a policy that is followed is not told of', () => {
  const csv = `# of the team
p, role:dev, applications, action/apps/Deployment/*, shop/*, allow
p, role:dev, logs, get, */*, deny
p, role:dev, app*, *, shop/*, allow
p, role:dev, extensions, invoke, metrics, allow

g, team, role:dev
g, alice, role:admin
g, bob, some-group
g, role:dev, role:readonly
g, somebody, proj:shop:deployer
`;
  assert.deepEqual(told({ 'policy.csv': csv, 'policy.default': 'role:readonly', 'policy.matchMode': 'glob' }), []);
  assert.deepEqual(told({ 'policy.csv': 'p, role:dev, .*s, (get|sync), .*, allow', 'policy.matchMode': 'regex' }), []);
  assert.deepEqual(told({}), []);
});

test('a resource, action, effect or role that there is none of is told with its line and the nearest', () => {
  const found = told({
    'policy.csv': 'p, role:dev, aplications, get, */*, allow\n\np, role:dev, applications, gett, */*, allow',
    'policy.overlay.csv': 'p, role:dev, logs, get, */*, alow\ng, team, role:devs',
    'policy.default': 'role:readonli',
  });
  assert.deepEqual(
    found.map(([message]) => message),
    [
      'line 1 of policy.csv of argocd-rbac-cm has no effect: there is no resource "aplications"',
      'line 3 of policy.csv of argocd-rbac-cm has no effect: there is no action "gett"',
      'line 1 of policy.overlay.csv of argocd-rbac-cm has no effect: there is no effect "alow"',
      'line 2 of policy.overlay.csv of argocd-rbac-cm has no effect: there is no role "role:devs"',
      'policy.default of argocd-rbac-cm has no effect: there is no role "role:readonli"',
    ],
  );
  assert.deepEqual(
    found.map(([, field, remedy]) => [field, remedy?.split(':', 2)[0]]),
    [
      ['data["policy.csv"]', 'Write applications'],
      ['data["policy.csv"]', 'Write get'],
      ['data["policy.overlay.csv"]', 'Write allow'],
      ['data["policy.overlay.csv"]', 'Write role'],
      ['data["policy.default"]', 'Write role'],
    ],
  );
});

test('lines that cannot be read are left to who reads the policy, and a role of another file counts', () => {
  assert.deepEqual(
    told({ 'policy.csv': 'q, what\ng, team, role:dev', 'policy.x.csv': 'p, role:dev, logs, get, */*, allow' }),
    [],
  );
});
