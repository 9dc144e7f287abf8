import type { Case, Step } from './run-case.ts';
import { core, del, get, merge, post, put, quiet } from './steps.ts';

/* Rules of definitions and policies: what they may cost, and what an update of an object leaves as it was. */

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const text = { type: 'string' };

const definition = (group: string, spec: object, more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}.example.com`, ...more },
  spec: {
    group: `${group}.example.com`,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } } } },
      },
    ],
  },
});

/** Creates a definition on trial, with one rule on its spec. */
const trial = (group: string, properties: object, rule: string, more: object = {}): Step =>
  post(
    `${DEFINITIONS}?dryRun=All`,
    definition(group, { properties, 'x-kubernetes-validations': [{ rule, ...more }] }),
    { omit: ['spec', 'status'] },
  );

const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const wide = { list: list(text) };
const narrow = { list: list({ ...text, maxLength: 10 }, { maxItems: 5 }) };

const things = (group: string) => `/apis/${group}.example.com/v1/namespaces/{ns}/things`;
const thing = (group: string, spec: object) => ({
  apiVersion: `${group}.example.com/v1`,
  kind: 'Thing',
  metadata: { name: 'a' },
  spec,
});

const itemsOf = (more: object) =>
  list(
    { type: 'object', required: ['name'], properties: { name: text, v: { ...text, ...more } } },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], maxItems: 9 },
  );
const before = definition('ratchet', {
  properties: { name: text, size: { type: 'integer' }, list: list(text), items: itemsOf({}) },
});
const after = definition(
  'ratchet',
  {
    properties: {
      name: { ...text, maxLength: 3, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')" }] },
      size: { type: 'integer', maximum: 5 },
      list: list({ ...text, maxLength: 2 }),
      items: itemsOf({ maxLength: 2 }),
    },
    'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too large' }],
  },
  { resourceVersion: '{resourceVersion}' },
);
const stored = {
  name: 'bbbb',
  size: 7,
  list: ['xxx'],
  items: [
    { name: 'a', v: 'long' },
    { name: 'b', v: 'x' },
  ],
};

/** A policy on the creation of one kind of object, bound. */
const policy = (resources: string, validations: object[]): Step[] => [
  post(POLICIES, {
    metadata: { name: `{ns}-${resources}` },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resources] }],
      },
      validations,
    },
  }),
  post(BINDINGS, {
    metadata: { name: `{ns}-${resources}` },
    spec: { policyName: `{ns}-${resources}`, validationActions: ['Deny'] },
  }),
];
const gone = (resources: string): Step[] => [
  del(`${BINDINGS}/{ns}-${resources}`),
  del(`${POLICIES}/{ns}-${resources}`),
];
const denied = (resources: string): Step =>
  post(`${core}/${resources}?dryRun=All`, { metadata: { name: 'a' } }, { until: 422, omit: ['details'] });
const checks = (count: number) =>
  Array.from({ length: count }, () => "authorizer.group('').resource('pods').check('get').allowed()").join(' && ');

export const ruleCases: readonly Case[] = [
  {
    name: 'rules-cost-too-much',
    steps: [
      trial('cost', wide, 'self.list.all(x, self.list.all(y, x == y))'),
      trial('cost', narrow, 'self.list.all(x, self.list.all(y, x == y))'),
      trial('cost', wide, 'self.list.size() > 0'),
      trial('cost', { a: text }, "self.a.matches('^[a-z]+$')"),
      trial('cost', { a: { ...text, maxLength: 100 } }, "self.a.matches('^[a-z]+$')"),
      trial('cost', { a: text, b: text }, 'self.a.contains(self.b)'),
      trial('cost', { a: text }, 'true', { messageExpression: 'self.a.split("").map(x, self.a).join("")' }),
      trial('cost', { m: { type: 'object', additionalProperties: text } }, 'self.m.all(k, self.m[k] == k)'),
      trial('cost', { m: { type: 'object', additionalProperties: text } }, 'self.m.all(k, v, v.split(k).size() > 1)'),
      trial(
        'cost',
        { t: { ...text, format: 'date-time' }, d: { ...text, format: 'duration' } },
        'self.t + self.d > self.t',
      ),
      trial('cost', wide, 'self.list.map(x, x.lowerAscii()).filter(x, x.size() > 1).exists_one(x, x == "a")'),
      trial(
        'cost',
        wide,
        'self.?list.orValue([]).all(x, quantity(x).isGreaterThan(quantity("1")) && ip(x).family() == 4)',
      ),
      post(
        `${DEFINITIONS}?dryRun=All`,
        definition('cost', {
          properties: {
            a: list({ ...text, 'x-kubernetes-validations': [{ rule: 'self.size() > 1' }] }),
            b: list({ ...text, 'x-kubernetes-validations': [{ rule: "self.replace('a', 'bb').size() > 1" }] }),
            c: list(
              list({ ...text, 'x-kubernetes-validations': [{ rule: "self.startsWith('a')" }] }, { maxItems: 100 }),
              { maxItems: 1000 },
            ),
          },
        }),
        { omit: ['spec', 'status'] },
      ),
    ],
  },
  {
    name: 'rules-and-what-did-not-change',
    steps: [
      ...quiet(post(DEFINITIONS, before), get(things('ratchet'), {}, { until: 200 })),
      post(things('ratchet'), thing('ratchet', stored)),
      ...quiet(
        get(`${DEFINITIONS}/things.ratchet.example.com`),
        put(`${DEFINITIONS}/things.ratchet.example.com`, after),
        post(
          `${things('ratchet')}?dryRun=All`,
          { ...thing('ratchet', stored), metadata: { name: 'b' } },
          { until: 422 },
        ),
      ),
      post(things('ratchet'), { ...thing('ratchet', { name: 'bbbb' }), metadata: { name: 'b' } }),
      post(things('ratchet'), { ...thing('ratchet', { name: 'b', size: 1 }), metadata: { name: 'b' } }),
      merge(`${things('ratchet')}/a`, { metadata: { labels: { a: 'b' } } }),
      merge(`${things('ratchet')}/a`, { spec: { size: 8 } }),
      merge(`${things('ratchet')}/a`, { spec: { size: 4 } }),
      merge(`${things('ratchet')}/a`, { spec: { name: 'cccc' } }),
      merge(`${things('ratchet')}/a`, { spec: { name: 'c' } }),
      merge(`${things('ratchet')}/a`, { spec: { list: ['xxx', 'y'] } }),
      merge(`${things('ratchet')}/a`, {
        spec: {
          items: [
            { name: 'a', v: 'long' },
            { name: 'b', v: 'y' },
          ],
        },
      }),
      merge(`${things('ratchet')}/a`, { spec: { items: [{ name: 'a', v: 'longer' }] } }),
      ...quiet(del(`${DEFINITIONS}/things.ratchet.example.com`)),
    ],
  },
  {
    name: 'policies-cost-too-much',
    steps: [
      ...quiet(
        ...policy('configmaps', [{ expression: `${checks(2)} && false`, message: 'two checks' }]),
        ...policy('secrets', [{ expression: checks(3) }]),
        ...policy(
          'serviceaccounts',
          Array.from({ length: 16 }, () => ({ expression: checks(2) })),
        ),
      ),
      denied('configmaps'),
      denied('secrets'),
      denied('serviceaccounts'),
      ...quiet(...gone('configmaps'), ...gone('secrets'), ...gone('serviceaccounts')),
    ],
  },
];
