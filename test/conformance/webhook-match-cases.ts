import { named, rule } from './admission-steps.ts';
import type { Case } from './run-case.ts';
import { core, del, merge, post } from './steps.ts';
import { hook, hookCase, mutating, validating } from './webhook-cases.ts';

/*
 * What webhooks are asked for, and in which version; and what is called again.
 */

const scaler = (version: string) => `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers?dryRun=All`;
const scalerOf = (name: string, more: object = {}) => ({
  ...named(name),
  spec: { maxReplicas: 3, ...more, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
});
const scalers = [{ ...rule(['horizontalpodautoscalers'], ['CREATE'], ['autoscaling']), apiVersions: ['v1'] }];
const anyMap = (name: string, labels: object = {}) =>
  post(`${core}/configmaps?dryRun=All`, { ...named(name, { labels }), data: { k: 'v' } });
const second = { name: 'second.conformance.example.com' };

export const webhookMatchCases: readonly Case[] = [
  hookCase(
    'webhook-equivalent',
    validating,
    [hook('/echo-object', { rules: scalers, matchPolicy: 'Equivalent' })],
    [
      { ...post(scaler('v2'), scalerOf('a')), until: 'denied' },
      post(scaler('v1'), scalerOf('a', { targetCPUUtilizationPercentage: 50 })),
    ],
  ),
  hookCase(
    'webhook-equivalent-request',
    validating,
    [hook('/echo', { rules: scalers, matchPolicy: 'Equivalent' })],
    [{ ...post(scaler('v2'), scalerOf('a')), until: 'denied' }],
  ),
  hookCase(
    'webhook-exact',
    validating,
    [hook('/echo', { rules: scalers, matchPolicy: 'Exact' })],
    [
      { ...post(scaler('v1'), scalerOf('a', { targetCPUUtilizationPercentage: 50 })), until: 'denied' },
      post(scaler('v2'), scalerOf('a')),
    ],
  ),
  hookCase(
    'webhook-equivalent-patch',
    mutating,
    [hook('/label', { rules: scalers, matchPolicy: 'Equivalent' })],
    [{ ...post(scaler('v2'), scalerOf('a')), until: 'hooked' }],
  ),
  hookCase(
    'webhook-condition-mix',
    validating,
    [
      hook('/deny', {
        matchConditions: [
          { name: 'broken', expression: "object.metadata.name == 'no' || object.nope == ''" },
          { name: 'other', expression: "object.metadata.name != 'skip'" },
        ],
      }),
      hook('/allow', {
        ...second,
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'b', expression: "object.nope == ''" }],
      }),
    ],
    [{ ...anyMap('a'), until: 'resulted in error' }, anyMap('skip'), anyMap('no')],
  ),
  hookCase(
    'webhook-reinvoke-never',
    mutating,
    [hook('/second', { reinvocationPolicy: 'Never' }), hook('/label', second)],
    [{ ...anyMap('a'), until: 'hooked' }],
  ),
  hookCase(
    'webhook-reinvoke-unchanged',
    mutating,
    [hook('/label', { reinvocationPolicy: 'IfNeeded' }), hook('/allow', second)],
    [{ ...anyMap('a'), until: 'hooked' }],
  ),
  hookCase(
    'webhook-side-effects',
    validating,
    [hook('/deny', { sideEffects: 'NoneOnDryRun' }), hook('/warn', second)],
    [
      { ...anyMap('a'), until: 'denied' },
      del(`${core}/configmaps/none?dryRun=All`),
      merge(`${core}/configmaps/none`, {}),
    ],
  ),
];
