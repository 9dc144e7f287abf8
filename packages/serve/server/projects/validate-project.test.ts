import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppProject } from '@tiphys/api';
import { validateProject } from './validate-project.ts';

const validate = (spec: object) =>
  validateProject({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'team' },
    spec,
  } as AppProject);
const role = (policies: string[], more: object = {}) => ({ roles: [{ name: 'ci', policies, ...more }] });
const rule = (fields: string) => `p, proj:team:ci, ${fields}`;

const refused: [spec: object, message: RegExp][] = [
  [{ destinations: [{ server: '!*', namespace: 'a' }] }, /^server has an invalid format, '!\*'$/],
  [{ destinations: [{ server: 'x' }, { server: 'x' }] }, /^destination 'x\/' already added$/],
  [{ sourceRepos: ['!*'] }, /^source repository has an invalid format, '!\*'$/],
  [{ sourceRepos: ['a', 'a'] }, /^source repository 'a' already added$/],
  [{ sourceNamespaces: ['a', 'a'] }, /^source namespace 'a' already added$/],
  [{ roles: [{ name: 'a' }, { name: 'a' }] }, /^role 'a' already exists$/],
  [{ roles: [{ name: '-a' }] }, /^invalid role name '-a'\./],
  [role(['g, eve, role:admin']), /must be of the form: 'p, sub, res, act, obj, eft'$/],
  [role(['p, eve, applications, get, team/*, allow']), /policy subject must be: 'proj:team:ci', not 'eve'$/],
  [
    role([rule('projects, get, team/*, allow')]),
    /project resource must be: 'applications', 'applicationsets', 'repositories', 'exec', 'logs' or 'clusters', not 'projects'$/,
  ],
  [role([rule('applications, destroy, team/*, allow')]), /invalid action 'destroy'$/],
  [
    role([rule('applications, get, other/*, allow')]),
    /object must be of form 'team\/\*', 'team\[\/<NAMESPACE>\]\/<APPNAME>' or 'team\/<APPNAME>', not 'other\/\*'$/,
  ],
  [role([rule('applications, get, team/a/b/c, allow')]), /object must be of form/],
  [role([rule('applications, get, team/*, maybe')]), /effect must be: 'allow' or 'deny'$/],
  [role([rule('logs, get, team/*, allow'), rule('logs, get, team/*, allow')]), /already exists for role 'ci'$/],
  [role([], { groups: ['a', 'a'] }), /^group 'a' already exists for role 'ci'$/],
  [role([], { groups: ['cn=a,dc=b'] }), /^group 'cn=a,dc=b' must be quoted$/],
  [role([], { groups: [' '] }), /^group '' is empty$/],
  [role([], { groups: ['a\nb'] }), /contains invalid characters$/],
  [role([], { groups: [' a'] }), /contains a leading space$/],
  [
    { destinationServiceAccounts: [{ server: '!x', namespace: 'a', defaultServiceAccount: 'b' }] },
    /^server has an invalid format, '!x'$/,
  ],
  [
    { destinationServiceAccounts: [{ server: '[[ech*', namespace: 'a', defaultServiceAccount: 'b' }] },
    /^server has an invalid format, '\[\[ech\*'$/,
  ],
  [
    { destinationServiceAccounts: [{ server: 'x', namespace: 'a', defaultServiceAccount: 'b*' }] },
    /^defaultServiceAccount has an invalid format, 'b\*'$/,
  ],
  [
    { syncWindows: [{ kind: 'maybe', schedule: '* * * * *', duration: '1h', applications: ['*'] }] },
    /^error validating project: kind 'maybe' mismatch: can only be allow or deny$/,
  ],
  [
    { syncWindows: [{ kind: 'deny', schedule: '* * * *', duration: '1h', applications: ['*'] }] },
    /^error validating project: cannot parse schedule '\* \* \* \*'/,
  ],
  [
    { syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h' }] },
    /requires one of application, cluster or namespace$/,
  ],
];

for (const [spec, message] of refused)
  test(`a project with ${JSON.stringify(spec)} is refused`, () => {
    assert.throws(
      () => validate(spec),
      ({ message: found }: Error) => message.test(found),
    );
  });

test('a project that uses all of it is accepted', () => {
  validate({
    destinations: [
      { server: '*', namespace: '!kube-*' },
      { name: 'east', namespace: '*' },
    ],
    sourceRepos: ['*', '!https://example.test/secret'],
    sourceNamespaces: ['team-*', '/^x-/'],
    roles: [
      {
        name: 'ci',
        policies: [
          rule('applications, delete/*/Pod/*/*, team/team-a/*, allow'),
          rule('applications, action/apps/Deployment/restart, team/web, deny'),
          rule('repositories, *, team/*, allow'),
        ],
        groups: ['"cn=a,dc=b"', 'ops'],
      },
    ],
    destinationServiceAccounts: [{ server: '*', namespace: 'a', defaultServiceAccount: 'robots:deployer' }],
    syncWindows: [
      {
        kind: 'allow',
        schedule: '0 22 * * *',
        duration: '1h30m',
        applications: ['*'],
        timeZone: 'Europe/Berlin',
        andOperator: true,
        description: 'at night',
      },
    ],
  });
});
