import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity } from '../rpc/identity.ts';
import { Enforcer } from './enforcer.ts';
import { PolicyBook, type ProjectRoles } from './policy-book.ts';

const caller = (subject: string, groups: string[] = []): Identity => ({
  subject,
  groups,
  issuer: 'argocd',
  issuedAt: 0,
  expiresAt: undefined,
  id: 'x',
  capability: 'login',
});

function enforcer(config: Record<string, string>, ...projects: ProjectRoles[]): Enforcer {
  const book = new PolicyBook({ config: () => config });
  return new Enforcer({
    policies: book.current(),
    project: (name) => projects.find((project) => project.name === name),
  });
}

const cases: [
  name: string,
  config: Record<string, string>,
  identity: Identity | undefined,
  request: [string, string, string],
  allowed: boolean,
][] = [
  [
    'the admin account may do all that the roles name',
    {},
    caller('admin'),
    ['applications', 'delete', 'default/shop'],
    true,
  ],
  ['nobody else may anything by default', {}, caller('eve'), ['applications', 'get', 'default/shop'], false],
  [
    'a default role is for everybody, the anonymous too',
    { 'policy.default': 'role:readonly' },
    undefined,
    ['applications', 'get', 'default/shop'],
    true,
  ],
  [
    'a star crosses slashes',
    { 'policy.csv': 'p, eve, applications, get, default/*, allow' },
    caller('eve'),
    ['applications', 'get', 'default/ns/shop'],
    true,
  ],
  [
    'roles are inherited',
    { 'policy.csv': 'g, eve, role:dev\ng, role:dev, role:admin' },
    caller('eve'),
    ['clusters', 'delete', 'x'],
    true,
  ],
  [
    'a deny wins over an allow',
    { 'policy.csv': 'p, eve, applications, *, */*, allow\np, eve, applications, delete, prod/*, deny' },
    caller('eve'),
    ['applications', 'delete', 'prod/shop'],
    false,
  ],
  [
    'an overlay adds to the policy',
    { 'policy.overlay.csv': 'p, eve, projects, get, *, allow' },
    caller('eve'),
    ['projects', 'get', 'x'],
    true,
  ],
  [
    'groups count where the policy binds them',
    { 'policy.csv': 'g, ops, role:admin' },
    caller('eve', ['ops']),
    ['clusters', 'get', 'x'],
    true,
  ],
  [
    'regular expressions where asked for',
    { 'policy.matchMode': 'regex', 'policy.csv': 'p, eve, applications, get, ^prod/sh.p$, allow' },
    caller('eve'),
    ['applications', 'get', 'prod/shop'],
    true,
  ],
  [
    'fields may be quoted',
    { 'policy.csv': 'p, eve, applications, get, "default/{a,b}", allow' },
    caller('eve'),
    ['applications', 'get', 'default/b'],
    true,
  ],
  [
    'space before a comma belongs to the field, as for Casbin',
    { 'policy.csv': 'p, eve , applications, get, */*, allow' },
    caller('eve'),
    ['applications', 'get', 'default/shop'],
    false,
  ],
  [
    'an expression that does not compile denies what it is asked about',
    { 'policy.matchMode': 'regex', 'policy.csv': 'p, eve, clusters, get, .*, allow\np, eve, clusters, get, *, allow' },
    caller('eve'),
    ['clusters', 'get', 'x'],
    false,
  ],
  [
    'the built-in roles are globs although the own rules are expressions',
    { 'policy.matchMode': 'regex', 'policy.csv': 'g, eve, role:readonly' },
    caller('eve'),
    ['applications', 'get', 'default/shop'],
    true,
  ],
  [
    'roles of roles are followed ten steps',
    {
      'policy.csv': `${Array.from({ length: 10 }, (_, i) => `g, r${i}, r${i + 1}`).join('\n')}\np, r10, clusters, get, *, allow`,
    },
    caller('r0'),
    ['clusters', 'get', 'x'],
    true,
  ],
  [
    'a policy that does not parse grants nothing',
    { 'policy.csv': 'p, eve, applications, get, */*, allow\nnonsense' },
    caller('eve'),
    ['applications', 'get', 'default/shop'],
    false,
  ],
];

for (const [name, config, identity, [resource, action, object], allowed] of cases) {
  test(name, () => assert.equal(enforcer(config).allows(identity, resource, action, object), allowed));
}

const project: ProjectRoles = {
  name: 'shop',
  roles: [{ name: 'ci', policies: ['p, proj:shop:ci, applications, sync, shop/*, allow'], groups: ['devs'] }],
};

test('a role of a project speaks for its tokens and groups, in that project alone', () => {
  const rules = enforcer({}, project, { name: 'other', roles: [] });
  for (const identity of [caller('proj:shop:ci'), caller('eve', ['devs'])]) {
    assert.ok(rules.allows(identity, 'applications', 'sync', 'shop/web'));
    assert.ok(rules.allows(identity, 'projects', 'get', 'shop'));
    assert.ok(!rules.allows(identity, 'applications', 'sync', 'other/web'));
    assert.ok(!rules.allows(identity, 'applications', 'delete', 'shop/web'));
  }
});

test('a project cannot grant to subjects that are not its own', () => {
  const greedy: ProjectRoles = {
    name: 'shop',
    roles: [{ name: 'ci', policies: ['p, eve, applications, *, */*, allow', 'g, eve, role:admin'] }],
  };
  assert.ok(!enforcer({}, greedy).allows(caller('eve'), 'applications', 'delete', 'shop/web'));
});

test('a refusal says what was asked and by whom', () => {
  assert.throws(
    () => enforcer({}).enforce(caller('eve'), 'clusters', 'get', 'x'),
    /^RpcError: permission denied: clusters, get, x, sub: eve, iat: 1970-01-01T00:00:00Z$/,
  );
});

test('a state of the ConfigMap that cannot be read is refused, and the last good one stays', () => {
  let config: Record<string, string> = { 'policy.csv': 'p, eve, clusters, get, *, allow' };
  const refused: string[] = [];
  const book = new PolicyBook({ config: () => config, onRefused: ({ message }) => refused.push(message) });
  const allows = (action: string) =>
    new Enforcer({ policies: book.current(), project: () => undefined }).allows(caller('eve'), 'clusters', action, 'x');
  assert.ok(allows('get'));
  config = { 'policy.default': 'role:admin', 'policy.more.csv': 'p, eve, clusters, *, *, allow\np, eve, clusters' };
  assert.ok(allows('get'));
  assert.ok(!allows('delete'));
  assert.equal(refused.length, 1);
  assert.match(
    refused[0] ?? '',
    /^policy\.more\.csv: line 2 is neither .*: p, eve, clusters; the last good policy stays/,
  );
  config = { 'policy.csv': 'p, eve, clusters, *, *, allow' };
  assert.ok(allows('delete'));
});

test('a line that is smuggled into a policy of a project grants nothing', () => {
  const greedy: ProjectRoles = {
    name: 'shop',
    roles: [{ name: 'ci', policies: ['p, proj:shop:ci, applications, get, shop/*, allow\ng, eve, role:admin'] }],
  };
  assert.ok(!enforcer({}, greedy).allows(caller('eve'), 'applications', 'delete', 'shop/web'));
  assert.ok(enforcer({}, greedy).allows(caller('proj:shop:ci'), 'applications', 'get', 'shop/web'));
});

test('decider() says what allows() does, also when it is asked again', () => {
  for (const [name, config, identity, [resource, action, object], allowed] of cases) {
    const book = new PolicyBook({ config: () => config });
    const decide = () =>
      new Enforcer({ policies: book.current(), project: () => undefined }).decider(identity, resource, action)(object);
    const expected = new Enforcer({ policies: book.current(), project: () => undefined }).allows(
      identity,
      resource,
      action,
      object,
    );
    assert.deepEqual([decide(), decide()], [expected, expected], `${name} ${allowed}`);
  }
});

test('decider() forgets what it said when the policy or the roles of a project change, and keeps callers apart', () => {
  let config: Record<string, string> = {};
  let roles: ProjectRoles['roles'] = [];
  const book = new PolicyBook({ config: () => config });
  const ask = (identity: Identity) =>
    new Enforcer({ policies: book.current(), project: (name) => ({ name, roles }) }).decider(
      identity,
      'applications',
      'get',
    )('shop/web');
  const eve = caller('eve', ['team']);
  assert.deepEqual([ask(eve), ask(caller('admin'))], [false, true]);
  roles = [{ name: 'reader', groups: ['team'], policies: ['p, proj:shop:reader, applications, get, shop/*, allow'] }];
  assert.deepEqual([ask(eve), ask(caller('eve'))], [true, false]);
  roles = [];
  assert.equal(ask(eve), false);
  config = { 'policy.csv': 'p, eve, applications, get, shop/*, allow' };
  assert.equal(ask(eve), true);
  config = {};
  assert.equal(ask(eve), false);
});
