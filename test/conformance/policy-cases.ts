import { container, here, named, quiet, registrations, rule } from './admission-steps.ts';
import type { Case, Step } from './run-case.ts';
import { apps, core, del, merge, post } from './steps.ts';

export const policies = `${registrations}/validatingadmissionpolicies`;
export const bindings = `${registrations}/validatingadmissionpolicybindings`;

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
export const denied = { until: 'denied request' } as const;

export function policyCase(name: string, spec: object, steps: Step[], bound: object = {}): Case {
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

export const policyCases: readonly Case[] = [
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
      {
        ...post(`${core}/secrets?dryRun=All`, { ...named('a'), stringData: { secret: 'x' } }),
        until: 'is not allowed',
      },
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
