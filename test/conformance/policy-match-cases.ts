import { here, named, rule } from './admission-steps.ts';
import { denied, policyCase } from './policy-cases.ts';
import type { Case } from './run-case.ts';
import { core, post } from './steps.ts';

/*
 * What a policy is asked for: versions, selectors, names, parameters; and what its conditions may cost.
 */

const scaler = (version: string, more = '') =>
  `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers${more}`;
const scalerOf = (name: string) => ({
  ...named(name),
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
});
const refused = { expression: 'false', messageExpression: "request.kind.version + ' ' + request.requestKind.version" };
const matching = (matchPolicy: string, more: object = {}) => ({
  resourceRules: [{ ...rule(['horizontalpodautoscalers'], ['CREATE'], ['autoscaling']), apiVersions: ['v1'] }],
  namespaceSelector: here,
  matchPolicy,
  ...more,
});
const configMap = (name: string, labels: object = {}) =>
  post(`${core}/configmaps?dryRun=All`, { ...named(name, { labels }), data: { a: 'b' } });
const secret = (name: string) => post(`${core}/secrets?dryRun=All`, named(name));
const withParams = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  matchConstraints: { resourceRules: [rule(['secrets'])], namespaceSelector: here },
  validations: [
    {
      expression: 'params == null || object.metadata.name != params.data.not',
      messageExpression: "'not ' + params.data.not",
    },
  ],
};
/** Costs more than a million: three of them are too much for the conditions of one policy. */
const slow = (name: string) => ({
  name,
  expression: `object.metadata.name != 'slow' || ${'[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, '.repeat(5)}true${')'.repeat(5)}`,
});

export const policyMatchCases: readonly Case[] = [
  policyCase('policy-match-equivalent', { matchConstraints: matching('Equivalent'), validations: [refused] }, [
    { ...post(scaler('v2', '?dryRun=All'), scalerOf('a')), ...denied },
    post(scaler('v1', '?dryRun=All'), scalerOf('a')),
  ]),
  policyCase('policy-match-exact', { matchConstraints: matching('Exact'), validations: [refused] }, [
    { ...post(scaler('v1', '?dryRun=All'), scalerOf('a')), ...denied },
    post(scaler('v2', '?dryRun=All'), scalerOf('a')),
  ]),
  policyCase(
    'policy-match-rules',
    {
      matchConstraints: {
        resourceRules: [{ ...rule(['configmaps']), resourceNames: ['one', 'two'] }],
        excludeResourceRules: [{ ...rule(['configmaps']), resourceNames: ['two'] }],
        objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
        namespaceSelector: here,
      },
      validations: [{ expression: 'false' }],
    },
    [{ ...configMap('one'), ...denied }, configMap('two'), configMap('three'), configMap('one', { skip: 'x' })],
  ),
  policyCase('policy-params-named-elsewhere', withParams, [{ ...secret('x'), ...denied }], {
    paramRef: { name: 'none', namespace: 'kube-system', parameterNotFoundAction: 'Deny' },
  }),
  policyCase(
    'policy-budget',
    {
      matchConditions: [slow('a'), slow('b'), slow('c'), slow('d')],
      validations: [{ expression: 'false' }],
    },
    [{ ...configMap('a'), ...denied }, configMap('slow')],
  ),
];
