import type { Case, Step } from './run-case.ts';

const core = '/api/v1/namespaces/{ns}';
const apps = '/apis/apps/v1/namespaces/{ns}';
const registrations = '/apis/admissionregistration.k8s.io/v1';
const policies = `${registrations}/validatingadmissionpolicies`;
const bindings = `${registrations}/validatingadmissionpolicybindings`;

const get = (path: string): Step => ({ method: 'GET', path });
const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });
const put = (path: string, body: unknown): Step => ({ method: 'PUT', path, body });
const del = (path: string): Step => ({ method: 'DELETE', path });
const merge = (path: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: 'application/merge-patch+json',
});
const quiet = (step: Step): Step => ({ ...step, quiet: true });

const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
/** Only the case's own namespace is meant, so that cases do not meet. */
const here = { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } };
const rule = (resources: string[], operations = ['*'], apiGroups = ['*']) => ({
  operations,
  apiGroups,
  apiVersions: ['*'],
  resources,
});

const policy = (spec: object) => ({
  metadata: { name: '{ns}' },
  spec: {
    matchConstraints: { resourceRules: [rule(['configmaps', 'deployments/scale'])], namespaceSelector: here },
    ...spec,
  },
});
const binding = (spec: object = {}) => ({
  metadata: { name: '{ns}' },
  spec: { policyName: '{ns}', validationActions: ['Deny'], ...spec },
});
const denied = { until: 'denied request' } as const;

function policyCase(name: string, spec: object, steps: Step[], bound: object = {}): Case {
  return {
    name,
    steps: [
      post(policies, policy(spec)),
      post(bindings, binding(bound)),
      ...steps,
      quiet(del(`${bindings}/{ns}`)),
      quiet(del(`${policies}/{ns}`)),
    ],
  };
}

const container = { name: 'main', image: 'registry.example/app:1' };
const pod = (name: string, spec: object = {}, more: object = {}) => ({
  metadata: { name, ...more },
  spec: { containers: [container], ...spec },
});

const policyCases: readonly Case[] = [
  policyCase(
    'policy-expressions',
    {
      variables: [
        { name: 'mode', expression: "object.data.?mode.orValue('none')" },
        { name: 'long', expression: 'variables.mode.size() > 3' },
      ],
      validations: [
        { expression: "variables.mode != 'bad'", message: 'mode is bad' },
        { expression: '!variables.long', messageExpression: "'too long: ' + variables.mode", reason: 'Forbidden' },
        { expression: "!('crash' in object.data) || object.data.nope == ''" },
        {
          expression: "request.operation != 'UPDATE' || oldObject.data == object.data",
          reason: 'RequestEntityTooLarge',
        },
        { expression: '!has(object.metadata.labels) || object.metadata.labels.size() < 2' },
      ],
    },
    [
      { ...post(`${core}/configmaps?dryRun=All`, { ...named('a'), data: { mode: 'bad' } }), ...denied },
      post(`${core}/configmaps`, { ...named('a'), data: { mode: 'lengthy' } }),
      post(`${core}/configmaps`, { ...named('a'), data: { crash: '1' } }),
      post(`${core}/configmaps`, { ...named('a', { labels: { a: '1', b: '2' } }), data: { mode: 'ok' } }),
      post(`${core}/configmaps`, { metadata: { generateName: 'generated-' }, data: { mode: 'bad' } }),
      post(`${core}/configmaps`, { ...named('a'), data: { mode: 'ok' } }),
      merge(`${core}/configmaps/a`, { data: { mode: 'ok2' } }),
      merge(`${core}/configmaps/a`, { metadata: { annotations: { x: 'y' } } }),
      del(`${core}/configmaps/a`),
    ],
  ),
  policyCase(
    'policy-request',
    {
      failurePolicy: 'Fail',
      validations: [
        {
          expression: "request.name != 'stop'",
          messageExpression:
            "request.operation + ' ' + request.kind.kind + ' ' + request.resource.resource + ' ' + string('system:masters' in request.userInfo.groups) + ' ' + string(request.dryRun) + ' ' + namespaceObject.metadata.name",
        },
        {
          expression:
            "request.name != 'authorized' || !authorizer.group('').resource('pods').namespace('x').check('get').allowed()",
        },
        { expression: "request.name != 'self' || !authorizer.requestResource.check('delete').allowed()" },
        {
          expression:
            "request.name != 'account' || authorizer.serviceAccount('default', 'nobody').group('').resource('pods').check('list').allowed()",
        },
      ],
    },
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('stop')), ...denied },
      post(`${core}/configmaps`, named('authorized')),
      post(`${core}/configmaps`, named('self')),
      post(`${core}/configmaps`, named('account')),
      post(`${core}/configmaps`, named('go')),
      del(`${core}/configmaps/go`),
    ],
  ),
  policyCase(
    'policy-warn-audit',
    { validations: [{ expression: "object.data.?mode.orValue('') != 'bad'", message: 'mode is bad' }] },
    [
      { ...post(`${core}/configmaps?dryRun=All`, { ...named('a'), data: { mode: 'bad' } }), until: 'mode is bad' },
      post(`${core}/configmaps`, { ...named('b'), data: { mode: 'good' } }),
    ],
    { validationActions: ['Warn', 'Audit'] },
  ),
  policyCase(
    'policy-conditions',
    {
      matchConditions: [
        { name: 'not-skipped', expression: "object.metadata.name != 'skip'" },
        { name: 'fails', expression: "object.metadata.name != 'fail' || object.nope.x == 1" },
      ],
      validations: [{ expression: 'false' }],
    },
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('a')), ...denied },
      post(`${core}/configmaps?dryRun=All`, named('skip')),
      post(`${core}/configmaps?dryRun=All`, named('fail')),
    ],
  ),
  policyCase(
    'policy-ignore',
    {
      failurePolicy: 'Ignore',
      validations: [{ expression: "object.nope == ''" }, { expression: "object.metadata.name != 'bad'" }],
    },
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('bad')), ...denied },
      post(`${core}/configmaps?dryRun=All`, named('good')),
    ],
  ),
  policyCase(
    'policy-params',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rule(['secrets'])], namespaceSelector: here },
      validations: [
        {
          expression: 'params == null || !(params.data.key in object.data)',
          messageExpression: "'key ' + params.data.key + ' is not allowed'",
        },
      ],
    },
    [
      quiet(post(`${core}/configmaps`, { ...named('params', { labels: { p: 'y' } }), data: { key: 'secret' } })),
      { ...post(`${core}/secrets?dryRun=All`, { ...named('a'), stringData: { secret: 'x' } }), ...denied },
      post(`${core}/secrets?dryRun=All`, { ...named('a'), stringData: { other: 'x' } }),
    ],
    { paramRef: { selector: { matchLabels: { p: 'y' } }, parameterNotFoundAction: 'Deny' } },
  ),
  policyCase(
    'policy-params-missing',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rule(['secrets'])], namespaceSelector: here },
      validations: [{ expression: 'true' }],
    },
    [{ ...post(`${core}/secrets?dryRun=All`, named('a')), ...denied }],
    { paramRef: { name: 'nowhere', parameterNotFoundAction: 'Deny' } },
  ),
  policyCase(
    'policy-scale',
    { validations: [{ expression: '!has(object.spec.replicas) || object.spec.replicas < 5', message: 'too many' }] },
    [
      quiet(
        post(`${apps}/deployments`, {
          ...named('web'),
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
          },
        }),
      ),
      { ...merge(`${apps}/deployments/web/scale?dryRun=All`, { spec: { replicas: 7 } }), ...denied },
      merge(`${apps}/deployments/web/scale?dryRun=All`, { spec: { replicas: 2 } }),
    ],
  ),
  {
    name: 'policy-invalid',
    steps: [
      post(policies, { metadata: { name: 'x' }, spec: {} }),
      post(policies, policy({ validations: [] })),
      post(policies, policy({ validations: [{ expression: '' }, { expression: 'nope' }, { expression: '1' }] })),
      post(policies, policy({ validations: [{ expression: 'true', message: ' ', reason: 'Nope' }] })),
      post(policies, policy({ validations: [{ expression: 'true', messageExpression: '1' }] })),
      post(policies, policy({ validations: [{ expression: 'params.x == 1' }] })),
      post(policies, policy({ validations: [{ expression: 'request.nope == 1' }] })),
      post(policies, policy({ validations: [{ expression: 'namespaceObject.metadata.labels.x == 1' }] })),
      post(policies, policy({ validations: [{ expression: 'true' }], failurePolicy: 'Maybe' })),
      post(
        policies,
        policy({ variables: [{ name: 'a-b', expression: 'true' }], validations: [{ expression: 'variables.z' }] }),
      ),
      post(policies, policy({ auditAnnotations: [{ key: 'a b', valueExpression: '1' }] })),
      post(policies, policy({ validations: [{ expression: 'true' }], matchConstraints: { resourceRules: [{}] } })),
      post(
        policies,
        policy({ validations: [{ expression: 'true' }], matchConditions: [{ name: 'a b', expression: '1' }] }),
      ),
      post(policies, policy({ validations: [{ expression: 'true' }], paramKind: { apiVersion: 'a/b/c', kind: 'x' } })),
      post(bindings, { metadata: { name: 'x' }, spec: {} }),
      post(bindings, binding({ validationActions: ['Deny', 'Warn', 'Deny', 'Nope'] })),
      post(bindings, binding({ paramRef: { name: 'a', selector: {} } })),
      post(bindings, binding({ matchResources: { resourceRules: [rule(['pods', '*'])] } })),
    ],
  },
];

const quota = (spec: object, name = 'q') => ({ metadata: { name }, spec });
const status = (hard: object, used: object, name = 'q') => ({
  method: 'PATCH',
  path: `${core}/resourcequotas/${name}/status`,
  body: { status: { hard, used } },
  contentType: 'application/merge-patch+json',
  quiet: true,
});

const quotaCases: readonly Case[] = [
  {
    name: 'quota-counts',
    steps: [
      quiet(
        post(
          `${core}/resourcequotas`,
          quota({ hard: { configmaps: '1', 'count/deployments.apps': '0', services: '1', 'services.nodeports': '1' } }),
        ),
      ),
      status(
        { configmaps: '1', 'count/deployments.apps': '0', services: '1', 'services.nodeports': '1' },
        { configmaps: '0', 'count/deployments.apps': '0', services: '0', 'services.nodeports': '0' },
      ),
      {
        ...post(`${apps}/deployments?dryRun=All`, {
          ...named('web'),
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
          },
        }),
        until: 'exceeded quota',
      },
      post(`${core}/configmaps`, named('a')),
      { ...post(`${core}/configmaps`, named('b')), until: 403 },
      post(`${core}/services`, {
        ...named('s'),
        spec: {
          type: 'NodePort',
          ports: [
            { port: 1, name: 'a' },
            { port: 2, name: 'b' },
          ],
        },
      }),
      post(`${core}/services`, { ...named('s'), spec: { ports: [{ port: 1 }] } }),
      post(`${core}/services`, { ...named('s2'), spec: { ports: [{ port: 1 }] } }),
      get(`${core}/resourcequotas/q`),
    ],
  },
  {
    name: 'quota-compute',
    steps: [
      quiet(
        post(`${core}/resourcequotas`, quota({ hard: { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '2' } })),
      ),
      status(
        { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '2' },
        { 'requests.cpu': '500m', 'limits.memory': '0', pods: '0' },
      ),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'failed quota' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '600m' }, limits: { memory: '2Gi', cpu: '1' } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '600m' }, limits: { memory: '1Gi' } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, resources: { requests: { cpu: '0.5' }, limits: { memory: '1Gi' } } }],
        }),
      ),
    ],
  },
  {
    name: 'quota-scopes',
    steps: [
      quiet(post(`${core}/resourcequotas`, quota({ hard: { pods: '0' }, scopes: ['BestEffort'] }))),
      status({ pods: '0' }, { pods: '0' }),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'exceeded quota' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, resources: { requests: { cpu: '1' } } }] }),
      ),
    ],
  },
  {
    name: 'quota-invalid',
    steps: [
      post(`${core}/resourcequotas`, quota({ hard: { nope: '1', pods: '-1', cpu: 'x' } })),
      post(`${core}/resourcequotas`, quota({ hard: { nope: '1' } })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1.5' } })),
      post(`${core}/resourcequotas`, quota({ hard: { 'requests.storage': '-1' } })),
      post(`${core}/resourcequotas`, quota({ hard: { configmaps: '1' }, scopes: ['BestEffort'] })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] })),
      post(`${core}/resourcequotas`, quota({ hard: { pods: '1' }, scopes: ['Nope'] })),
      post(
        `${core}/resourcequotas`,
        quota({
          hard: { pods: '1' },
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
        }),
      ),
    ],
  },
];

const limits = (...items: object[]) => ({ metadata: { name: 'l' }, spec: { limits: items } });

const limitCases: readonly Case[] = [
  {
    name: 'limit-defaults',
    steps: [
      post(
        `${core}/limitranges`,
        limits({
          type: 'Container',
          default: { cpu: '1' },
          defaultRequest: { cpu: '100m', memory: '64Mi' },
          max: { cpu: '2' },
        }),
      ),
      {
        ...post(`${core}/pods?dryRun=All`, pod('a', { initContainers: [{ ...container, name: 'init' }] })),
        until: 'LimitRanger',
      },
      post(
        `${core}/pods?dryRun=All`,
        pod('b', { containers: [{ ...container, resources: { limits: { cpu: '3' } } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('c', {
          containers: [{ ...container, resources: { limits: { cpu: '1500m' }, requests: { memory: '1Gi' } } }],
        }),
      ),
    ],
  },
  {
    name: 'limit-bounds',
    steps: [
      quiet(
        post(
          `${core}/limitranges`,
          limits(
            { type: 'Container', min: { memory: '10Mi' }, maxLimitRequestRatio: { memory: '2' } },
            { type: 'Pod', max: { cpu: '1' } },
            { type: 'PersistentVolumeClaim', min: { storage: '2Gi' }, max: { storage: '4Gi' } },
          ),
        ),
      ),
      {
        ...post(
          `${core}/pods?dryRun=All`,
          pod('a', {
            containers: [{ ...container, resources: { requests: { memory: '5Mi' }, limits: { memory: '20Mi' } } }],
          }),
        ),
        until: 'usage per',
      },
      post(
        `${core}/pods?dryRun=All`,
        pod('b', {
          containers: [
            { ...container, resources: { requests: { memory: '15Mi' }, limits: { memory: '20Mi', cpu: '2' } } },
          ],
        }),
      ),
      post(`${core}/persistentvolumeclaims?dryRun=All`, {
        ...named('c'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      post(`${core}/persistentvolumeclaims?dryRun=All`, {
        ...named('c'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      }),
    ],
  },
  {
    name: 'limit-invalid',
    steps: [
      post(`${core}/limitranges`, limits({ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', default: { cpu: '2' }, max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', defaultRequest: { cpu: '2' }, default: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', defaultRequest: { cpu: '1' }, min: { cpu: '2' } })),
      post(`${core}/limitranges`, limits({ type: 'Pod', default: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'PersistentVolumeClaim', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', maxLimitRequestRatio: { cpu: '0.5' } })),
      post(
        `${core}/limitranges`,
        limits({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
      ),
      post(`${core}/limitranges`, limits({ type: 'Container' }, { type: 'Container' })),
      post(`${core}/limitranges`, limits({ type: 'example.com/Thing', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Nope', max: { cpu: '1' } })),
      post(`${core}/limitranges`, limits({ type: 'Container', max: { 'bad name': '1' } })),
    ],
  },
];

const levels = (labels: Record<string, string>) =>
  merge('/api/v1/namespaces/{ns}', {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
    },
  });
const secure = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const securityCases: readonly Case[] = [
  {
    name: 'pod-security-baseline',
    steps: [
      quiet(levels({ enforce: 'baseline' })),
      { ...post(`${core}/pods?dryRun=All`, pod('a', { hostNetwork: true })), until: 'violates' },
      post(`${core}/pods?dryRun=All`, pod('a', { hostPID: true, hostIPC: true })),
      post(`${core}/pods?dryRun=All`, pod('a', { volumes: [{ name: 'v', hostPath: { path: '/' } }] })),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, securityContext: { privileged: true } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, securityContext: { capabilities: { add: ['NET_ADMIN', 'SYS_TIME'] } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [
            {
              ...container,
              ports: [
                { containerPort: 80, hostPort: 80 },
                { containerPort: 81, hostPort: 81 },
              ],
            },
          ],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, livenessProbe: { httpGet: { port: 80, host: 'x.example' } } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { seLinuxOptions: { type: 'x', user: 'u', role: 'r' } } }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { securityContext: { seccompProfile: { type: 'Unconfined' } } })),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { securityContext: { appArmorProfile: { type: 'Unconfined' } } })),
      post(`${core}/pods?dryRun=All`, pod('a')),
    ],
  },
  {
    name: 'pod-security-restricted',
    steps: [
      quiet(levels({ enforce: 'restricted', warn: 'restricted', audit: 'restricted' })),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'violates' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          initContainers: [{ ...container, name: 'i' }],
          containers: [{ ...container, securityContext: secure }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { runAsUser: 0 }, containers: [{ ...container, securityContext: secure }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          volumes: [{ name: 'n', nfs: { server: 's', path: '/' } }],
          containers: [{ ...container, securityContext: secure }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          securityContext: { runAsNonRoot: false },
          containers: [
            { ...container, securityContext: { ...secure, capabilities: { drop: ['ALL'], add: ['CHOWN'] } } },
          ],
        }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { containers: [{ ...container, securityContext: secure }] })),
      post(`${apps}/deployments?dryRun=All`, {
        ...named('web'),
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
        },
      }),
    ],
  },
  {
    name: 'pod-security-namespaces',
    steps: [
      quiet(post(`${core}/pods`, pod('a', { hostNetwork: true }))),
      quiet(post(`${core}/pods`, pod('b', { hostNetwork: true }))),
      quiet(post(`${core}/pods`, pod('c'))),
      levels({ enforce: 'nope' }),
      levels({ 'enforce-version': 'v2' }),
      {
        ...levels({ enforce: 'baseline', 'enforce-version': 'v1.20' }),
        path: '/api/v1/namespaces/{ns}?dryRun=All',
        until: 'existing pods',
      },
      levels({ warn: 'restricted', 'warn-version': 'v1.24' }),
      { ...post(`${core}/pods?dryRun=All`, pod('d')), until: 'would violate' },
    ],
  },
];

const hook = (path: string, more: object = {}) => ({
  name: 'hook.conformance.example.com',
  clientConfig: { url: `{webhook}${path}`, caBundle: '{ca}' },
  rules: [rule(['configmaps', 'deployments', 'deployments/scale', 'pods'])],
  namespaceSelector: here,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 5,
  ...more,
});
const validating = `${registrations}/validatingwebhookconfigurations`;
const mutating = `${registrations}/mutatingwebhookconfigurations`;

function hookCase(name: string, where: string, hooks: object[], steps: Step[]): Case {
  return {
    name,
    steps: [quiet(post(where, { metadata: { name: '{ns}' }, webhooks: hooks })), ...steps, quiet(del(`${where}/{ns}`))],
  };
}
const anyMap = post(`${core}/configmaps?dryRun=All`, { ...named('a'), data: { k: 'v' } });
const refusing = (path: string, until: string, more: object = {}) =>
  hookCase(
    `webhook-${path.replace(/\W/g, '')}${Object.keys(more).join('')}`.toLowerCase(),
    validating,
    [hook(path, more)],
    [{ ...anyMap, until }],
  );

const webhookCases: readonly Case[] = [
  refusing('/deny', 'denied'),
  refusing('/deny-message', 'denied'),
  refusing('/deny-status', 'denied'),
  refusing('/deny-reason', 'denied'),
  refusing('/broken', 'failed calling'),
  refusing('/missing', 'failed calling'),
  refusing('/wrong-uid', 'failed calling'),
  refusing('/label', 'failed calling'),
  refusing('/slow', 'failed calling', { timeoutSeconds: 1 }),
  refusing('/warn', 'first warning'),
  refusing('/echo', 'denied'),
  refusing('/allow', 'failed calling', { clientConfig: { url: '{webhook}/allow', caBundle: '{other}' } }),
  refusing('/refused', 'failed calling', { clientConfig: { url: 'https://127.0.0.1:1/x', caBundle: '{ca}' } }),
  refusing('/service', 'failed calling', {
    clientConfig: { service: { namespace: '{ns}', name: 'nowhere', path: '/x' } },
  }),
  refusing('/condition', 'expression', { matchConditions: [{ name: 'broken', expression: "object.nope == ''" }] }),
  hookCase(
    'webhook-ignore',
    validating,
    [
      hook('/broken', { failurePolicy: 'Ignore' }),
      hook('/deny', {
        name: 'second.conformance.example.com',
        matchConditions: [{ name: 'c', expression: "object.metadata.name == 'stop'" }],
      }),
    ],
    [{ ...post(`${core}/configmaps?dryRun=All`, named('stop')), until: 'denied' }, anyMap],
  ),
  hookCase(
    'webhook-selectors',
    validating,
    [
      hook('/deny', {
        objectSelector: { matchLabels: { stop: 'yes' } },
        rules: [{ ...rule(['configmaps']), operations: ['CREATE', 'DELETE'], scope: 'Namespaced' }],
      }),
    ],
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('a', { labels: { stop: 'yes' } })), until: 'denied' },
      post(`${core}/configmaps`, named('b')),
      merge(`${core}/configmaps/b`, { metadata: { labels: { stop: 'yes' } } }),
      del(`${core}/configmaps/b`),
      post(`${core}/secrets?dryRun=All`, named('a', { labels: { stop: 'yes' } })),
    ],
  ),
  hookCase(
    'webhook-objects',
    validating,
    [
      hook('/echo-object', {
        matchConditions: [{ name: 'c', expression: "request.operation != 'CREATE' || object.metadata.name == 'stop'" }],
      }),
    ],
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('stop')), until: 'denied' },
      quiet(post(`${core}/configmaps`, named('b'))),
      merge(`${core}/configmaps/b`, { data: { a: 'b' } }),
      del(`${core}/configmaps/b`),
    ],
  ),
  hookCase(
    'webhook-mutate',
    mutating,
    [hook('/label')],
    [
      { ...post(`${core}/configmaps?dryRun=All`, named('a', { labels: { own: 'x' } })), until: 'hooked' },
      post(`${core}/configmaps`, named('b')),
      merge(`${core}/configmaps/b`, { metadata: { labels: { hooked: 'no' } } }),
      {
        method: 'PATCH',
        path: `${core}/configmaps/c?fieldManager=me`,
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...named('c'), data: { k: 'v' } },
        contentType: 'application/apply-patch+yaml',
      },
      put(`${core}/configmaps/b`, { ...named('b'), data: { z: '1' } }),
    ],
  ),
  hookCase(
    'webhook-reinvoke',
    mutating,
    [hook('/second', { reinvocationPolicy: 'IfNeeded' }), hook('/label', { name: 'second.conformance.example.com' })],
    [{ ...anyMap, until: '"second":"yes"' }],
  ),
  hookCase(
    'webhook-order',
    mutating,
    [hook('/second'), hook('/label', { name: 'second.conformance.example.com' })],
    [{ ...anyMap, until: 'hooked' }],
  ),
  hookCase('webhook-bad-patch', mutating, [hook('/bad-patch')], [{ ...anyMap, until: 'nternal' }]),
  hookCase('webhook-unknown-field', mutating, [hook('/unknown-field')], [{ ...anyMap, quiet: true }, anyMap]),
  hookCase('webhook-no-patch-type', mutating, [hook('/no-patch-type')], [{ ...anyMap, until: 'failed calling' }]),
  {
    name: 'webhook-invalid',
    steps: [
      post(validating, { metadata: { name: '{ns}' }, webhooks: [{}] }),
      post(validating, { metadata: { name: '{ns}' }, webhooks: [hook('/x', { name: 'short' })] }),
      post(validating, { metadata: { name: '{ns}' }, webhooks: [hook('/x'), hook('/y')] }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [hook('/x', { clientConfig: { url: 'http://a.example/x?y#z' } })],
      }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [
          hook('/x', { clientConfig: { url: 'https://u@a.example', service: { name: 'a', namespace: 'b' } } }),
        ],
      }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [hook('/x', { clientConfig: { service: { name: '', namespace: 'b', path: 'x//y', port: 70000 } } })],
      }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [hook('/x', { sideEffects: 'Some', timeoutSeconds: 31, failurePolicy: 'Nope', matchPolicy: 'Nope' })],
      }),
      post(validating, { metadata: { name: '{ns}' }, webhooks: [hook('/x', { admissionReviewVersions: ['v2'] })] }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [hook('/x', { rules: [rule(['*/*', 'pods'], ['*', 'CREATE'], ['*', ''])] })],
      }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [hook('/x', { rules: [rule(['pods/*', 'pods/log', '*', 'secrets'], ['NOPE'])] })],
      }),
      post(validating, {
        metadata: { name: '{ns}' },
        webhooks: [
          hook('/x', {
            matchConditions: [
              { name: 'a', expression: 'params.x' },
              { name: 'a', expression: '' },
            ],
          }),
        ],
      }),
      post(mutating, { metadata: { name: '{ns}' }, webhooks: [hook('/x', { reinvocationPolicy: 'Nope' })] }),
      post(`${mutating}?dryRun=All`, {
        metadata: { name: '{ns}' },
        webhooks: [
          {
            name: 'a.b.c',
            clientConfig: { service: { name: 'a', namespace: 'b' } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            rules: [rule(['pods'])],
          },
        ],
      }),
    ],
  },
];

export const admissionCases: readonly Case[] = [
  ...policyCases,
  ...quotaCases,
  ...limitCases,
  ...securityCases,
  ...webhookCases,
];
