import { here, named, quiet, registrations, rule } from './admission-steps.ts';
import type { Case, Step } from './run-case.ts';
import { core, del, merge, post, put } from './steps.ts';

export const hook = (path: string, more: object = {}) => ({
  name: 'hook.conformance.example.com',
  clientConfig: { url: `{webhook}${path}`, caBundle: '{ca}' },
  rules: [rule(['configmaps', 'deployments', 'deployments/scale', 'pods'])],
  namespaceSelector: here,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 5,
  ...more,
});
export const validating = `${registrations}/validatingwebhookconfigurations`;
export const mutating = `${registrations}/mutatingwebhookconfigurations`;

export function hookCase(name: string, where: string, hooks: object[], steps: Step[]): Case {
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

export const webhookCases: readonly Case[] = [
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
