import type { Case, Step } from './run-case.ts';
import { core, del, get, merge, post, put, quiet } from './steps.ts';

const node = '/api/v1/nodes';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const csiNodes = '/apis/storage.k8s.io/v1/csinodes';
const slices = '/apis/resource.k8s.io/v1/resourceslices';
const container = { name: 'main', image: 'app:1' };

/** The step as the kubelet of a node of the case. */
const as = (name: string, step: Step): Step => ({
  ...step,
  headers: { 'impersonate-user': `system:node:${name}`, 'impersonate-group': 'system:nodes' },
});
const one = (step: Step): Step => as('{ns}-one', step);
const all = (steps: readonly Step[]): Step[] => steps.map(one);
/** What a real server's caches know a moment later. */
const until = (until: number | string, step: Step): Step => ({ ...step, until, quiet: true });
const pod = (name: string, spec: object = {}, metadata: object = {}): Step =>
  post(`${core}/pods`, { metadata: { name, ...metadata }, spec: { containers: [container], ...spec } });
const may = (resourceAttributes: object, groups = ['system:nodes']): Step =>
  post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    spec: { user: 'system:node:{ns}-one', groups, resourceAttributes },
  });

const used = {
  nodeName: '{ns}-one',
  serviceAccountName: 'runner',
  automountServiceAccountToken: false,
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [
    { ...container, name: 'init', envFrom: [{ configMapRef: { name: 'all' } }, { secretRef: { name: 'all' } }] },
  ],
  containers: [
    {
      ...container,
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'one', key: 'k' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'one', key: 'k' } } },
      ],
    },
  ],
  volumes: [
    { name: 's', secret: { secretName: 'mounted' } },
    { name: 'c', configMap: { name: 'mounted' } },
    { name: 'p', projected: { sources: [{ secret: { name: 'part' } }, { configMap: { name: 'part' } }] } },
    { name: 'd', persistentVolumeClaim: { claimName: 'disk' } },
    {
      name: 'e',
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
    { name: 'f', flexVolume: { driver: 'a/b', secretRef: { name: 'flex' } } },
    { name: 'x', csi: { driver: 'inline', nodePublishSecretRef: { name: 'inline' } } },
  ],
};

const volume = (name: string, claim: string, source: object): Step =>
  post('/api/v1/persistentvolumes', {
    metadata: { name: `{ns}-${name}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: '{ns}', name: claim },
      ...source,
    },
  });
const secretRef = (name: string) => ({ namespace: '{ns}', name });
const disk = {
  csi: {
    driver: 'disk.example.com',
    volumeHandle: 'h',
    nodeStageSecretRef: secretRef('stage'),
    nodePublishSecretRef: secretRef('publish'),
    nodeExpandSecretRef: secretRef('expand'),
    controllerPublishSecretRef: secretRef('controller'),
  },
};

const secrets = ['one', 'all', 'mounted', 'part', 'pull', 'flex', 'inline', 'stage', 'publish', 'expand', 'old'];
const refused = ['controller', 'other', 'elsewhere'];
const objects: Step[] = [
  post(`${core}/serviceaccounts`, { metadata: { name: 'runner' } }),
  ...['used', 'mirror'].map((name) => post(`${core}/serviceaccounts`, { metadata: { name } })),
  ...[...secrets, ...refused].map((name) => post(`${core}/secrets`, { metadata: { name } })),
  ...['one', 'all', 'mounted', 'part', 'other'].map((name) => post(`${core}/configmaps`, { metadata: { name } })),
  ...['disk', 'other'].map((name) =>
    post(`${core}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  ),
  volume('disk', 'disk', disk),
  volume('old', 'disk', { rbd: { monitors: ['m'], image: 'i', secretRef: { name: 'old' } } }),
  volume('other', 'other', disk),
  pod('used', used),
  pod('elsewhere', {
    nodeName: '{ns}-two',
    automountServiceAccountToken: false,
    volumes: [{ name: 's', secret: { secretName: 'elsewhere' } }],
  }),
  pod('unbound', {
    automountServiceAccountToken: false,
    volumes: [{ name: 's', secret: { secretName: 'other' } }],
  }),
  post('/apis/storage.k8s.io/v1/volumeattachments', {
    metadata: { name: '{ns}-mine' },
    spec: { attacher: 'a', nodeName: '{ns}-one', source: { persistentVolumeName: 'v' } },
  }),
  post('/apis/storage.k8s.io/v1/volumeattachments', {
    metadata: { name: '{ns}-theirs' },
    spec: { attacher: 'a', nodeName: '{ns}-two', source: { persistentVolumeName: 'v' } },
  }),
];

const slice = (name: string, nodeName: string): Step =>
  post(slices, {
    metadata: { name: `{ns}-${name}` },
    spec: {
      driver: 'gpu.example.com',
      nodeName: `{ns}-${nodeName}`,
      pool: { name: `{ns}-${nodeName}`, generation: 1, resourceSliceCount: 1 },
    },
  });

/** What nodes may read, and do: the node authorizer. */
const authorization: Case = {
  name: 'nodes-authorization',
  steps: [
    ...quiet(...objects),
    until(200, one(get(`${core}/secrets/one`))),
    until(200, one(get(`${core}/secrets/old`))),
    until(200, one(get(`${core}/secrets/expand`))),
    until(200, one(get('/apis/storage.k8s.io/v1/volumeattachments/{ns}-mine'))),
    ...all([
      ...[...secrets, ...refused, 'none'].map((name) =>
        get(`${core}/secrets/${name}`, {}, { omit: ['metadata', 'type'] }),
      ),
      ...['one', 'all', 'mounted', 'part', 'other'].map((name) =>
        get(`${core}/configmaps/${name}`, {}, { omit: ['metadata'] }),
      ),
      get(`${core}/secrets`),
      get('/api/v1/secrets'),
      get(`${core}/secrets`, { fieldSelector: 'metadata.name=one' }, { omit: ['metadata'] }),
      get(`${core}/secrets`, { fieldSelector: 'metadata.name=other' }),
      get(
        `${core}/configmaps`,
        { fieldSelector: 'metadata.name=one', watch: 'true', timeoutSeconds: '1' },
        { omit: ['metadata'] },
      ),
      get('/api/v1/secrets', { fieldSelector: 'metadata.name=one' }),
      merge(`${core}/secrets/one`, {}),
      merge(`${core}/configmaps/one`, {}),
      post(`${core}/configmaps`, { metadata: { name: 'new' } }),
      get(`${core}/persistentvolumeclaims/disk`, {}, { omit: ['metadata'] }),
      get(`${core}/persistentvolumeclaims/used-e`),
      get(`${core}/persistentvolumeclaims/other`),
      get(`${core}/persistentvolumeclaims`),
      get(`${core}/persistentvolumeclaims/disk/status`),
      merge(`${core}/persistentvolumeclaims/other/status`, {}),
      get('/api/v1/persistentvolumes/{ns}-disk', {}, { omit: ['metadata'] }),
      get('/api/v1/persistentvolumes/{ns}-other'),
      get('/api/v1/persistentvolumes'),
      get('/api/v1/persistentvolumes/{ns}-disk/status'),
      get(`${core}/serviceaccounts/runner`, {}, { omit: ['metadata'] }),
      get(`${core}/serviceaccounts/used`),
      get(`${core}/serviceaccounts`),
      get('/apis/storage.k8s.io/v1/volumeattachments/{ns}-mine', {}, { omit: ['metadata'] }),
      get('/apis/storage.k8s.io/v1/volumeattachments/{ns}-theirs'),
      get('/apis/storage.k8s.io/v1/volumeattachments'),
      get(`${core}/pods/used`, {}, { omit: ['metadata', 'spec', 'status'] }),
      get(`${core}/pods/elsewhere`),
      get(`${core}/pods/unbound`),
      get(`${core}/pods/none`),
      get(`${core}/pods`),
      get('/api/v1/pods', { fieldSelector: 'spec.nodeName={ns}-one' }, { omit: ['metadata', 'spec', 'status'] }),
      get('/api/v1/pods', { fieldSelector: 'spec.nodeName=={ns}-one,status.phase=Failed' }, { omit: ['metadata'] }),
      get('/api/v1/pods', { fieldSelector: 'spec.nodeName!={ns}-one' }),
      get('/api/v1/pods', { fieldSelector: 'spec.nodeName={ns}-two' }),
      get(`${core}/pods`, { fieldSelector: 'metadata.name=used' }, { omit: ['metadata', 'spec', 'status'] }),
      get(`${core}/pods`, { fieldSelector: 'metadata.name=elsewhere' }),
      get(`${core}/pods/used/log`),
      get(`${core}/pods/used/status`),
      merge(`${core}/pods/used`, {}),
      del(`${core}/pods`),
      get(`${node}/{ns}-one`),
      get(`${node}/{ns}-two`),
      get(node),
      get(node, { fieldSelector: 'metadata.name={ns}-one' }, { omit: ['metadata'] }),
      get(`${node}/{ns}-one/proxy/`),
      del(`${node}/{ns}-one`),
      get(`${leases}/{ns}-one`),
      get(`${leases}/{ns}-two`),
      get(leases),
      get('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/{ns}-one'),
      get(`${csiNodes}/{ns}-one`),
      get(`${csiNodes}/{ns}-two`),
      get(csiNodes),
      get(slices),
      get(slices, { fieldSelector: 'spec.nodeName={ns}-one' }, { omit: ['metadata'] }),
      get(slices, { fieldSelector: 'spec.nodeName={ns}-two' }),
      del(slices),
      get(`${slices}/none`),
      get(`${core}/services`, {}, { omit: ['metadata'] }),
      get(`${core}/endpoints/none`),
      get(`${core}/endpoints`),
      get('/apis/node.k8s.io/v1/runtimeclasses', {}, { omit: ['metadata'] }),
      get('/apis/storage.k8s.io/v1/csidrivers/none'),
      get('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/none'),
      get('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims'),
      get('/apis/apps/v1/namespaces/{ns}/deployments'),
      get('/api/v1/namespaces/{ns}'),
      get('/metrics'),
      post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: '{ns}' } }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: '{ns}', name: 'one' } },
      }),
    ]),
    // without a name, without the group, and both
    {
      ...get(`${core}/secrets/one`),
      headers: { 'impersonate-user': 'system:node:', 'impersonate-group': 'system:nodes' },
    },
    { ...get(`${core}/secrets/one`), headers: { 'impersonate-user': 'system:node:{ns}-one' } },
    {
      ...get(`${core}/secrets/one`),
      headers: { 'impersonate-user': 'system:nodes', 'impersonate-group': 'system:nodes' },
    },
    may({ verb: 'get', resource: 'secrets', namespace: '{ns}', name: 'one' }),
    may({ verb: 'get', resource: 'secrets', namespace: '{ns}', name: 'other' }),
    may({ verb: 'get', resource: 'secrets', namespace: '{ns}', name: 'one' }, ['system:authenticated']),
    may({ verb: 'list', resource: 'pods' }),
    may({ verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'spec.nodeName={ns}-one' } }),
    may({ verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'spec.nodeName' } }),
    ...['In', 'NotIn', 'Exists'].map((operator) =>
      may({
        verb: 'watch',
        resource: 'pods',
        fieldSelector: {
          requirements: [
            { key: 'spec.nodeName', operator, ...(operator === 'Exists' ? {} : { values: ['{ns}-one'] }) },
          ],
        },
      }),
    ),
    may({
      verb: 'list',
      group: 'resource.k8s.io',
      resource: 'resourceslices',
      fieldSelector: { rawSelector: 'spec.nodeName={ns}-one' },
    }),
    may({ verb: 'use', group: 'resource.k8s.io', resource: 'resourceslices' }),
    may({ verb: 'get', resource: 'nodes', name: '{ns}-two' }),
    may({ verb: 'update', resource: 'nodes', name: '{ns}-two', subresource: 'status' }),
    may({ verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: '{ns}', name: 'runner' }),
    may({ verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: '{ns}', name: 'used' }),
    may({ verb: 'create', resource: 'serviceaccounts', namespace: '{ns}' }),
  ],
};

const owner = { apiVersion: 'v1', kind: 'Node', name: '{ns}-one', uid: '{node}', controller: true };
const mirror = (name: string, more: { metadata?: object; spec?: object } = {}): Step =>
  pod(
    name,
    { nodeName: '{ns}-one', ...more.spec },
    {
      annotations: { 'kubernetes.io/config.mirror': 'hash' },
      ownerReferences: [owner],
      ...more.metadata,
    },
  );
const labelled = (labels: object): Step =>
  merge(`${node}/{ns}-one`, { metadata: { labels } }, { omit: ['managedFields'] });
const token = (account: string, spec: object): Step =>
  one(post(`${core}/serviceaccounts/${account}/token`, { spec }, { omit: ['managedFields', 'expirationTimestamp'] }));
const bound = (name: string, uid = '{pod}') => ({
  boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid ? { uid } : {}) },
});
const saveUid = (name: string, step: Step): Step => ({ ...step, save: { [name]: 'metadata.uid' } });

/** What nodes may write: the admission plugin NodeRestriction. */
const restriction: Case = {
  name: 'nodes-restriction',
  steps: [
    ...all([
      post(node, { metadata: { name: '{ns}-two' } }),
      post(node, {
        metadata: {
          name: '{ns}-one',
          labels: { 'node-restriction.kubernetes.io/a': 'b', 'kubernetes.io/x': 'y', free: 'z' },
        },
      }),
      post(node, {
        metadata: { name: '{ns}-one', labels: { 'a.node-restriction.kubernetes.io/a': 'b', 'x.k8s.io/x': 'y' } },
      }),
      post(node, { metadata: { name: '{ns}-one' }, spec: { configSource: { configMap: {} } } }),
      saveUid(
        'node',
        post(node, {
          metadata: {
            name: '{ns}-one',
            labels: {
              free: 'z',
              'kubernetes.io/hostname': 'h',
              'node.kubernetes.io/x': 'y',
              'a.kubelet.kubernetes.io/x': 'y',
            },
          },
          spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] },
        }),
      ),
    ]),
    ...quiet(saveUid('other', post(node, { metadata: { name: '{ns}-two' } }))),
    ...all([
      labelled({ 'node-role.kubernetes.io/control-plane': '' }),
      labelled({ 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': 'a', other: 'b' }),
      labelled({ 'kubernetes.io/hostname': null, 'node-restriction.kubernetes.io/x': '', 'k8s.io/a': 'b' }),
      merge(`${node}/{ns}-one`, { spec: { taints: [] } }),
      merge(`${node}/{ns}-one/status`, { spec: { taints: [] } }),
      merge(`${node}/{ns}-one/status`, { metadata: { labels: { 'kubernetes.io/x': 'y' } } }),
      merge(`${node}/{ns}-one`, { metadata: { ownerReferences: [{ ...owner, controller: undefined }] } }),
      merge(`${node}/{ns}-one`, { spec: { unschedulable: true } }, { omit: ['managedFields'] }),
      merge(`${node}/{ns}-one/status`, { status: { phase: 'Running' } }, { omit: ['managedFields'] }),
      merge(`${node}/{ns}-two`, { metadata: { labels: { a: 'b' } } }),
      merge(`${node}/{ns}-two/status`, { status: { phase: 'Running' } }),
      post(leases, { metadata: { name: '{ns}-two' } }),
      post(leases, { metadata: { name: '{ns}-one' } }, { omit: ['managedFields'] }),
      merge(`${leases}/{ns}-one`, { spec: { holderIdentity: '{ns}-one' } }, { omit: ['managedFields'] }),
      merge(`${leases}/{ns}-two`, {}),
      del(`${leases}/{ns}-one`),
      put(`${leases}/{ns}-one`, { metadata: { name: '{ns}-one' } }, { omit: ['managedFields'] }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', { metadata: { name: '{ns}-one' } }),
      post(csiNodes, { metadata: { name: '{ns}-two' }, spec: { drivers: [] } }),
      post(csiNodes, { metadata: { name: '{ns}-one' }, spec: { drivers: [] } }, { omit: ['managedFields'] }),
      del(`${csiNodes}/{ns}-one`, { omit: ['managedFields'] }),
      slice('theirs', 'two'),
      { ...slice('mine', 'one'), omit: ['managedFields'] },
    ]),
    ...quiet(slice('theirs', 'two')),
    until(200, one(get(`${slices}/{ns}-mine`))),
    ...all([
      get(`${slices}/{ns}-theirs`),
      del(`${slices}/{ns}-theirs`),
      merge(`${slices}/{ns}-theirs`, {}),
      del(`${slices}?fieldSelector=spec.nodeName%3D{ns}-one`, { omit: ['managedFields', 'resourceVersion'] }),
    ]),
    // mirror pods
    until('reference', one(mirror('m', { metadata: { ownerReferences: [] } }))),
    ...all([
      pod('plain', { nodeName: '{ns}-one' }),
      mirror('m', { spec: { nodeName: '{ns}-two' } }),
      mirror('m', { spec: { nodeName: '' } }),
      mirror('m', { metadata: { ownerReferences: [] } }),
      mirror('m', { metadata: { ownerReferences: [owner, { ...owner, name: '{ns}-two', controller: false }] } }),
      mirror('m', { metadata: { ownerReferences: [{ ...owner, name: '{ns}-two' }] } }),
      mirror('m', { metadata: { ownerReferences: [{ ...owner, kind: 'Pod' }] } }),
      mirror('m', { metadata: { ownerReferences: [{ ...owner, controller: false }] } }),
      mirror('m', { metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } }),
      mirror('m', { metadata: { ownerReferences: [{ ...owner, uid: '{other}' }] } }),
      ...[
        { serviceAccountName: 'default' },
        { imagePullSecrets: [{ name: 's' }] },
        { containers: [{ ...container, envFrom: [{ configMapRef: { name: 'c' } }] }] },
        { resourceClaims: [{ name: 'c', resourceClaimName: 'c' }] },
        ...[
          { configMap: { name: 'c' } },
          { secret: { secretName: 's' } },
          { csi: { driver: 'd' } },
          { persistentVolumeClaim: { claimName: 'c' } },
          { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
          { projected: { sources: [{ configMap: { name: 'c' } }] } },
          { glusterfs: { endpoints: 'e', path: '/p' } },
        ].map((source) => ({ volumes: [{ name: 'v', ...source }] })),
      ].map((spec) => mirror('m', { spec })),
      {
        ...mirror('mirror', {
          spec: {
            volumes: [
              { name: 'v', hostPath: { path: '/' } },
              { name: 'e', emptyDir: {} },
            ],
          },
        }),
        omit: ['managedFields'],
      },
    ]),
    // pods of the node, and of another
    ...quiet(
      post(`${core}/serviceaccounts`, { metadata: { name: 'runner' } }),
      saveUid(
        'pod',
        pod('mine', {
          nodeName: '{ns}-one',
          serviceAccountName: 'runner',
          volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } }],
        }),
      ),
      saveUid('theirs', pod('theirs', { nodeName: '{ns}-two', serviceAccountName: 'runner' })),
    ),
    until(200, one(get(`${core}/pods/mine`))),
    until(403, one(post(`${core}/pods/theirs/eviction`, { metadata: { name: 'theirs' } }))),
    ...all([
      merge(`${core}/pods/mine/status`, { status: { phase: 'Running' } }, { omit: ['managedFields', 'spec'] }),
      merge(`${core}/pods/mine/status`, { metadata: { labels: { a: 'b' } } }),
      merge(`${core}/pods/mine/status`, { status: { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'd' }] } }),
      merge(`${core}/pods/theirs/status`, { status: { phase: 'Running' } }),
      merge(`${core}/pods/none/status`, {}),
      post(`${core}/pods/theirs/eviction`, { metadata: { name: 'theirs' } }),
      post(`${core}/pods/none/eviction`, { metadata: { name: 'none' } }),
      del(`${core}/pods/theirs`),
      del(`${core}/pods/none`),
    ]),
    token('runner', {}),
    token('runner', { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'mine', uid: '{pod}' } }),
    token('runner', bound('mine', '')),
    token('runner', bound('none')),
    token('runner', bound('mine', '{theirs}')),
    token('runner', bound('theirs', '{theirs}')),
    token('runner', { ...bound('mine'), audiences: ['a', 'b'] }),
    token('runner', { ...bound('mine'), audiences: ['strange'] }),
    token('runner', { ...bound('mine'), audiences: ['vault'] }),
    token('runner', bound('mine')),
    token('default', bound('mine')),
    ...quiet(
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: '{ns}-tokens' },
        rules: [{ verbs: ['request-serviceaccounts-token-audience'], apiGroups: [''], resources: ['strange'] }],
      }),
      post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: '{ns}-tokens' },
        subjects: [{ kind: 'User', name: 'system:node:{ns}-one', apiGroup: 'rbac.authorization.k8s.io' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{ns}-tokens' },
      }),
    ),
    until(201, token('runner', { ...bound('mine'), audiences: ['strange'] })),
    token('runner', { ...bound('mine'), audiences: ['strange'] }),
    ...quiet(
      post(`${core}/persistentvolumeclaims`, {
        metadata: { name: 'disk' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      pod('disk', { nodeName: '{ns}-one', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'disk' } }] }),
    ),
    until(200, one(get(`${core}/persistentvolumeclaims/disk`))),
    ...all([
      merge(
        `${core}/persistentvolumeclaims/disk/status`,
        { status: { capacity: { storage: '2Gi' } } },
        { omit: ['managedFields'] },
      ),
      merge(`${core}/persistentvolumeclaims/disk/status`, { metadata: { labels: { a: 'b' } } }, { omit: ['message'] }),
      merge(`${core}/persistentvolumeclaims/disk/status`, { status: { phase: 'Lost' } }, { omit: ['message'] }),
      del(`${core}/pods/mirror?gracePeriodSeconds=0`, { omit: ['managedFields', 'resourceVersion'] }),
    ]),
    ...quiet(del(`${node}/{ns}-one`), del(`${node}/{ns}-two`), del(`${leases}/{ns}-one`), del(`${slices}/{ns}-theirs`)),
  ],
};

const event = (name: string, reason: string): Step =>
  one(
    post(`${core}/events`, {
      metadata: { name },
      reason,
      involvedObject: { kind: 'Pod', namespace: '{ns}', name: 'p' },
    }),
  );
const listing = (selector: string) =>
  `authorizer.group('').resource('pods').fieldSelector('${selector}').check('list').allowed()`;

/** What policies learn of nodes' rights by asking with a selector. */
const inPolicies: Case = {
  name: 'nodes-in-policies',
  steps: [
    ...quiet(
      post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
        metadata: { name: '{ns}' },
        spec: {
          matchConstraints: {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['events'], operations: ['CREATE'] }],
          },
          validations: [
            { expression: "object.reason != 'Probe'", message: 'in force' },
            { expression: `object.reason != 'Own' || ${listing('spec.nodeName={ns}-one')}`, message: 'own' },
            { expression: `object.reason != 'Other' || ${listing('spec.nodeName={ns}-two')}`, message: 'other' },
            { expression: `object.reason != 'Bad' || ${listing('spec.nodeName')}`, message: 'bad' },
          ],
        },
      }),
      post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
        metadata: { name: '{ns}' },
        spec: { policyName: '{ns}', validationActions: ['Deny'] },
      }),
    ),
    until(422, event('probe-{ns}', 'Probe')),
    { ...event('own', 'Own'), omit: ['managedFields'] },
    event('other', 'Other'),
    event('bad', 'Bad'),
    ...quiet(
      del('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/{ns}'),
      del('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{ns}'),
    ),
  ],
};

export const nodeCases: readonly Case[] = [authorization, restriction, inPolicies];
