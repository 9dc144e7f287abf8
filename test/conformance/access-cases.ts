import type { Case, Step } from './run-case.ts';
import { apps, core, del, get, merge, PARTIAL_LIST, post, put, quiet, together } from './steps.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${RBAC}/namespaces/{ns}/roles`;
const bindings = `${RBAC}/namespaces/{ns}/rolebindings`;

/** The step as another user. */
const as = (user: string, step: Step, more: Record<string, string | string[]> = {}): Step => ({
  ...step,
  headers: { 'impersonate-user': user, ...more },
});
const rule = (verbs: string[], resources: string[], more: object = {}) => ({
  verbs,
  resources,
  apiGroups: [''],
  ...more,
});
const role = (name: string, rules: object[]): Step => post(roles, { metadata: { name }, rules });
const bind = (name: string, subjects: object[], ref: object = { kind: 'Role', name }): Step =>
  post(bindings, { metadata: { name }, subjects, roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...ref } });
const user = (name: string) => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' });
const group = (name: string) => ({ kind: 'Group', name, apiGroup: 'rbac.authorization.k8s.io' });
const clusterRole = (name: string, rules: object[]): Step =>
  post(`${RBAC}/clusterroles`, { metadata: { name: `{ns}-${name}` }, rules });
const clusterBind = (name: string, subjects: object[]): Step =>
  post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: `{ns}-${name}` },
    subjects,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `{ns}-${name}` },
  });
const secret = (name: string): Step => post(`${core}/secrets`, { metadata: { name } });
const review = (kind: string, spec: object): Step => post(`/apis/authorization.k8s.io/v1/${kind}`, { spec });
const may = (who: object, resourceAttributes: object): Step =>
  review('subjectaccessreviews', { ...who, resourceAttributes: { namespace: '{ns}', ...resourceAttributes } });
const mayPath = (who: object, path: string, verb = 'get'): Step =>
  review('subjectaccessreviews', { ...who, nonResourceAttributes: { path, verb } });

const nobody = 'nobody@example.com';

/** Who may do what, and the words of those who refuse. */
export const accessCases: readonly Case[] = [
  {
    name: 'access-forbidden',
    steps: [
      ...quiet(secret('s')),
      together(
        ...[
          get(`${core}/secrets/s`),
          get(`${core}/secrets`),
          get('/api/v1/secrets'),
          get(`${core}/secrets`, { watch: 'true' }),
          get(`${core}/secrets`, { fieldSelector: 'metadata.name=s' }),
          get(`${core}/secrets`, { fieldSelector: 'metadata.name!=s' }),
          get(`${core}/secrets`, { fieldSelector: 'metadata.name=a/b' }),
          secret('t'),
          put(`${core}/secrets/s`, { metadata: { name: 's' } }),
          merge(`${core}/secrets/s`, {}),
          del(`${core}/secrets/s`),
          del(`${core}/secrets`),
          get(`${apps}/deployments/d`),
          get(`${apps}/deployments/d/scale`),
          get(`${core}/pods/p/log`),
          post(`${core}/pods/p/exec`, {}),
          post(`${core}/pods/p/eviction`, {}),
          get('/api/v1/nodes/n'),
          get('/api/v1/nodes/n/proxy/metrics'),
          get('/api/v1/namespaces/{ns}'),
          get('/api/v1/namespaces'),
          put('/api/v1/namespaces/{ns}/finalize', {}),
          get(`${core}/nothings`),
          get('/apis/none.example.com/v1/things'),
          get('/apis/none.example.com/v1/namespaces/{ns}/things/x/sub'),
          get('/metrics'),
          get('/healthz'),
          get('/healthz/etcd'),
          get('/version'),
          get('/apis/apps'),
          get('/openapi/v2/x'),
          get('/nothing'),
          get('/'),
          post('/version', {}),
        ].map((step) => as(nobody, step)),
        get(`${core}/secrets/s`, {}, { headers: { authorization: '' } }),
        get('/version', {}, { headers: { authorization: '' } }),
        get(`${core}/secrets/s`, {}, { headers: { authorization: 'Bearer wrong' } }),
        get(`${core}/secrets/s`, {}, { headers: { authorization: 'Basic YTpi' } }),
        get(`${core}/secrets/s`, {}, { headers: { authorization: 'Bearer a.b.c' } }),
        get(`${core}/secrets/s`, {}, { headers: { authorization: 'Bearer ' } }),
        as('', get(`${core}/secrets/s`)),
        as('system:serviceaccount:{ns}:robot', get(`${core}/secrets/s`)),
        as('system:anonymous', get(`${core}/secrets/s`)),
        as(nobody, get(`${core}/secrets/s`), { 'impersonate-group': 'system:masters' }),
      ),
    ],
  },
  {
    name: 'access-rules',
    steps: [
      ...quiet(
        role('reader', [
          rule(['get', 'list', 'watch'], ['secrets'], { resourceNames: ['s', 't'] }),
          rule(['get'], ['pods', 'pods/log']),
          rule(['*'], ['configmaps']),
          rule(['get'], ['*/scale'], { apiGroups: ['apps'] }),
          rule(['update'], ['*'], { apiGroups: ['batch'] }),
          rule(['list'], ['events'], { apiGroups: ['*'] }),
        ]),
        bind('reader', [user('ann'), group('team'), { kind: 'ServiceAccount', name: 'robot', namespace: '{ns}' }]),
        bind('missing', [user('ann')], { kind: 'Role', name: 'not-there' }),
        clusterRole('paths', [
          { verbs: ['get'], nonResourceURLs: ['/probe', '/probe/*', '/open*'] },
          { verbs: ['*'], nonResourceURLs: ['/all/*'] },
        ]),
        clusterBind('paths', [user('ann')]),
      ),
      together(
        ...[
          { verb: 'get', resource: 'secrets', name: 's' },
          { verb: 'get', resource: 'secrets', name: 'u' },
          { verb: 'get', resource: 'secrets' },
          { verb: 'list', resource: 'secrets', name: 't' },
          { verb: 'create', resource: 'secrets', name: 's' },
          { verb: 'get', resource: 'pods' },
          { verb: 'get', resource: 'pods', subresource: 'log' },
          { verb: 'get', resource: 'pods', subresource: 'exec' },
          { verb: 'deletecollection', resource: 'configmaps' },
          { verb: 'weird', resource: 'configmaps' },
          { verb: '*', resource: 'configmaps' },
          { verb: 'get', resource: '*' },
          { verb: 'get', resource: 'deployments', subresource: 'scale', group: 'apps' },
          { verb: 'get', resource: 'deployments', group: 'apps' },
          { verb: 'update', resource: 'jobs', subresource: 'status', group: 'batch' },
          { verb: 'list', resource: 'events', group: 'events.k8s.io' },
          { verb: 'get', resource: 'secrets', name: 's', namespace: 'default' },
          { verb: 'get', resource: 'secrets', name: 's', namespace: '' },
          { verb: 'list', resource: 'secrets', fieldSelector: { rawSelector: 'metadata.name=s' } },
          {
            verb: 'list',
            resource: 'secrets',
            fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['s'] }] },
          },
        ].flatMap((attributes) => [may({ user: 'ann' }, attributes)]),
        may({ user: 'bob' }, { verb: 'get', resource: 'pods' }),
        may({ user: 'bob', groups: ['team'] }, { verb: 'get', resource: 'pods' }),
        may({ groups: ['team'] }, { verb: 'get', resource: 'pods' }),
        may({ groups: ['system:masters'] }, { verb: 'get', resource: 'pods' }),
        may({ user: 'system:serviceaccount:{ns}:robot' }, { verb: 'get', resource: 'pods' }),
        may({ user: 'system:serviceaccount:other:robot' }, { verb: 'get', resource: 'pods' }),
        may({}, { verb: 'get', resource: 'pods' }),
        review('subjectaccessreviews', { user: 'ann' }),
        review('subjectaccessreviews', {
          user: 'ann',
          resourceAttributes: { verb: 'get' },
          nonResourceAttributes: { path: '/', verb: 'get' },
        }),
        ...[
          '/probe',
          '/probe/',
          '/probe/a/b',
          '/probes',
          '/open',
          '/openapi',
          '/all',
          '/all/x',
          '/version',
          '/api',
        ].map((path) => mayPath({ user: 'ann' }, path)),
        mayPath({ user: 'ann' }, '/all/x', 'post'),
        mayPath({ groups: ['system:unauthenticated'] }, '/version'),
        post('/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews', {
          metadata: { namespace: '{ns}' },
          spec: { user: 'ann', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
        }),
        post('/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews', {
          metadata: { namespace: '{ns}' },
          spec: { user: 'ann', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' } },
        }),
        review('selfsubjectaccessreviews', { resourceAttributes: { verb: 'get', resource: 'pods' } }),
        review('selfsubjectaccessreviews', {}),
        as(
          'ann',
          review('selfsubjectaccessreviews', {
            resourceAttributes: { verb: 'get', resource: 'pods', namespace: '{ns}' },
          }),
        ),
        as('ann', review('selfsubjectrulesreviews', { namespace: '{ns}' })),
        as('ann', review('selfsubjectrulesreviews', { namespace: 'default' })),
        as('ann', review('selfsubjectrulesreviews', {})),
        review('selfsubjectrulesreviews', { namespace: '{ns}' }),
        as('ann', get(`${core}/secrets`, { fieldSelector: 'metadata.name=s' }, { accept: PARTIAL_LIST })),
        as('ann', get(`${core}/secrets`)),
        as('ann', get(`${core}/secrets/u`)),
        as('ann', get('/probe/x')),
        as('ann', get('/open/x')),
      ),
    ],
  },
  {
    name: 'access-impersonation',
    steps: [
      ...quiet(
        clusterRole('agents', [
          rule(['impersonate'], ['users'], { resourceNames: ['ann', 'bob'] }),
          rule(['impersonate'], ['groups'], { resourceNames: ['team'] }),
          rule(['impersonate'], ['serviceaccounts'], { resourceNames: ['robot'] }),
          rule(['impersonate'], ['uids'], { apiGroups: ['authentication.k8s.io'], resourceNames: ['u-1'] }),
          rule(['impersonate'], ['userextras/scopes'], {
            apiGroups: ['authentication.k8s.io'],
            resourceNames: ['view'],
          }),
        ]),
        clusterBind('agents', [{ kind: 'ServiceAccount', name: 'agent', namespace: '{ns}' }]),
        post(`${core}/serviceaccounts`, { metadata: { name: 'agent' } }),
        post(
          `${core}/serviceaccounts/agent/token`,
          { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
          { save: { bearer: 'status.token' } },
        ),
      ),
      together(
        ...[
          {},
          { 'impersonate-user': 'ann' },
          { 'impersonate-user': 'eve' },
          { 'impersonate-user': 'ann', 'impersonate-group': 'team' },
          { 'impersonate-user': 'ann', 'impersonate-group': 'admins' },
          { 'impersonate-user': 'ann', 'impersonate-group': 'system:authenticated' },
          { 'impersonate-user': 'ann', 'impersonate-uid': 'u-1' },
          { 'impersonate-user': 'ann', 'impersonate-uid': 'u-2' },
          { 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'view' },
          { 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'edit' },
          { 'impersonate-user': 'ann', 'impersonate-extra-Acme%2Fx': 'edit' },
          { 'impersonate-user': 'system:serviceaccount:{ns}:robot' },
          { 'impersonate-user': 'system:serviceaccount:{ns}:other' },
          { 'impersonate-user': 'system:anonymous' },
        ].map((headers) =>
          post(
            '/apis/authentication.k8s.io/v1/selfsubjectreviews',
            {},
            { headers: { authorization: 'Bearer {bearer}', ...headers } as Record<string, string> },
          ),
        ),
        as('ann', post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}), {
          'impersonate-group': ['a', 'b'],
          'impersonate-uid': 'u',
          'impersonate-extra-some%2fkey': ['x', 'y'],
          'impersonate-extra-Other': 'z',
        }),
        as('system:serviceaccount:{ns}:robot', post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})),
        as('system:anonymous', post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})),
        as('ann', post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}), {
          'impersonate-group': 'system:authenticated',
        }),
      ),
    ],
  },
  {
    name: 'access-tokens',
    steps: [
      ...quiet(
        post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } }),
        secret('bound'),
        post(`${core}/pods`, {
          metadata: { name: 'p' },
          spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
        }),
        post(`${core}/pods`, { metadata: { name: 'other' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      ),
      ...[
        {},
        { audiences: ['a', 'b'] },
        { audiences: [''] },
        { expirationSeconds: 599 },
        { expirationSeconds: 600 },
        { expirationSeconds: 4_294_967_297 },
        { expirationSeconds: 86_400 },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'other' } },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'wrong' } },
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'bound' } },
        { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } },
        { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' } },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v2', name: 'p' } },
        { boundObjectRef: {} },
      ].map((spec) => post(`${core}/serviceaccounts/robot/token`, { spec }, { omit: ['managedFields'] })),
      post(`${core}/serviceaccounts/none/token`, { spec: {} }),
      post(`${core}/serviceaccounts/robot/token`, { metadata: { name: 'else' }, spec: {} }),
      get(`${core}/serviceaccounts/robot/token`),
      post(
        `${core}/serviceaccounts/robot/token`,
        { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } },
        { quiet: true, save: { pod: 'status.token' } },
      ),
      post(
        `${core}/serviceaccounts/robot/token`,
        { spec: { audiences: ['vault'] } },
        { quiet: true, save: { vault: 'status.token' } },
      ),
      ...[
        { token: '{pod}' },
        { token: '{vault}' },
        { token: '{vault}', audiences: ['vault'] },
        { token: '{vault}', audiences: ['vault', 'x'] },
        { token: '{vault}', audiences: ['x'] },
        { token: 'wrong' },
        { token: '' },
        {},
      ].map((spec) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec })),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { headers: { authorization: 'Bearer {pod}' } }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { headers: { authorization: 'Bearer {vault}' } }),
      ...quiet(del(`${core}/pods/p?gracePeriodSeconds=0`)),
      get('/api', {}, { headers: { authorization: 'Bearer {pod}' }, until: 401 }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: '{pod}' } }),
    ],
  },
  {
    name: 'access-start',
    steps: [
      together(
        ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map((plural) =>
          get(
            `${RBAC}/${plural}`,
            {
              labelSelector: 'kubernetes.io/bootstrapping=rbac-defaults',
              fieldSelector: 'metadata.name!=admin,metadata.name!=edit,metadata.name!=view',
            },
            { omit: ['managedFields'] },
          ),
        ),
        get('/api/v1/namespaces', { fieldSelector: 'metadata.name=default' }, { omit: ['managedFields'] }),
        get('/api/v1/namespaces', { fieldSelector: 'metadata.name=kube-system' }, { omit: ['managedFields'] }),
        get('/api/v1/namespaces', { fieldSelector: 'metadata.name=kube-public' }, { omit: ['managedFields'] }),
        get('/api/v1/namespaces', { fieldSelector: 'metadata.name=kube-node-lease' }, { omit: ['managedFields'] }),
        get('/api/v1/namespaces/default/services/kubernetes', {}, { omit: ['managedFields', 'targetPort'] }),
        get(
          '/apis/scheduling.k8s.io/v1/priorityclasses',
          { fieldSelector: 'metadata.name=system-node-critical' },
          { omit: ['managedFields'] },
        ),
        get(
          '/apis/scheduling.k8s.io/v1/priorityclasses',
          { fieldSelector: 'metadata.name=system-cluster-critical' },
          { omit: ['managedFields'] },
        ),
        get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {}, { omit: ['managedFields'] }),
        get('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', {}, { omit: ['managedFields'] }),
        get(
          '/api/v1/namespaces/kube-system/configmaps',
          { fieldSelector: 'metadata.name=extension-apiserver-authentication' },
          { accept: PARTIAL_LIST, omit: ['managedFields'] },
        ),
      ),
    ],
  },
];
