import type { Case, Step } from './run-case.ts';
import { apps, batch, core, del, merge, post, quiet } from './steps.ts';

/* What random expressions, definitions, roles and workloads were answered otherwise than by kube-apiserver. */

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCESS = '/apis/authorization.k8s.io/v1';

const expression = (text: string): Step =>
  post(
    POLICIES,
    {
      metadata: { name: 'found' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
        },
        validations: [{ expression: text }],
      },
    },
    { omit: ['spec'] },
  );

const EXPRESSIONS = [
  '"%s".format([{?"a": optional.of(0)}]) == ""',
  '"%q".format([1]) == ""',
  '"%".format([1]) == ""',
  '"%.f".format([1.0]) == ""',
  '"%f".format([1]) == ""',
  '"%s".format([{"a": 1, 2: 3}]) == ""',
  'string(type(1)) == ""',
  'type([1].first()) == optional_type',
  '[1, "a"].size() > 0',
  '{"a": 1, "b": "c"}.size() > 0 && duration("1d") > duration("1h")',
  '[1].existsOne(x, x == 1)',
  '!1 || "a"',
  '[1].all(x, x)',
  'string(duration(string(false))) == ""',
  '"a".reverse().findAll(1)',
  '[optional.of(1)].unwrapOpt() == optional.unwrap([optional.of(1)])',
];

const definition = (spec: object, more: object = {}) =>
  post(
    DEFINITIONS,
    {
      metadata: { name: 'things.found.example.com' },
      spec: {
        group: 'found.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
            ...more,
          },
        ],
      },
    },
    { omit: ['spec', 'status'] },
  );
const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] });
const free = { 'x-kubernetes-preserve-unknown-fields': true };

const container = (more: object = {}) => ({ name: 'main', image: 'nginx', ...more });
const pod = (spec: object, metadata: object = {}): Step =>
  post(`${core}/pods?dryRun=All`, { metadata: { name: 'a', ...metadata }, spec }, { omit: ['spec', 'managedFields'] });
const template = (spec: object) => ({ metadata: { labels: { app: 'web' } }, spec });
const selector = { matchLabels: { app: 'web' } };

const metric = (more: object): Step =>
  post(
    '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers?dryRun=All',
    {
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        metrics: [more],
      },
    },
    { omit: ['spec', 'managedFields'] },
  );

const as = { headers: { 'impersonate-user': 'found-{ns}' } };
const review = (attributes: object): Step =>
  post(`${ACCESS}/subjectaccessreviews`, {
    spec: { user: 'nobody', resourceAttributes: { verb: 'list', resource: 'pods', namespace: '{ns}', ...attributes } },
  });

export const foundCases: readonly Case[] = [
  { name: 'found-expressions', steps: EXPRESSIONS.map(expression) },
  {
    name: 'found-definitions',
    steps: [
      definition({ ...free, default: [null], ...rule('true') }),
      definition({ type: 'object', ...free, properties: { a: { type: 'string' } }, ...rule('self.b == 1') }),
      definition({ type: 'number', default: 0.5, ...rule('int(self) == 1') }),
      definition({ type: 'object', additionalProperties: { type: 'object' }, default: { a: 'b' } }),
      definition({ type: 'string', definitions: { a: {} }, default: '', ...rule("self == 'a'") }),
      definition({
        type: 'object',
        properties: { a: { type: 'string' } },
        anyOf: [{ properties: { z: { minimum: 1 } } }],
      }),
      definition({ type: 'string', maxLength: -1, default: 'x' }),
      definition({ type: 'string', format: 'int32' }),
      definition(
        { type: 'object', properties: { a: { type: 'string' } } },
        { selectableFields: [{ jsonPath: '.spec.b' }] },
      ),
    ],
  },
  {
    name: 'found-warnings',
    steps: [
      pod({
        containers: [
          container({
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          }),
        ],
      }),
      pod({ containers: [container({ ports: [{ containerPort: 80 }, { containerPort: 80 }] })] }),
      pod({ containers: [container({ resources: { limits: { memory: '100m' } } })] }),
      pod({ containers: [container()], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
      pod({ containers: [container()], terminationGracePeriodSeconds: -1 }, { name: 'é✓' }),
      pod({ containers: [container()], hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] }),
      pod({ containers: [container({ image: ' nginx' })] }),
      pod({ containers: [container({ resizePolicy: [{ resourceName: 'gpu', restartPolicy: 'x' }] })] }),
      post(
        `${apps}/deployments?dryRun=All`,
        {
          metadata: { name: 'a.b' },
          spec: { selector, template: template({ containers: [container({ image: ' x' })] }) },
        },
        { omit: ['spec', 'managedFields'] },
      ),
      post(
        `${apps}/daemonsets?dryRun=All`,
        { metadata: { name: 'a' }, spec: { template: template({ containers: [container()] }) } },
        { omit: ['spec', 'managedFields'] },
      ),
      post(
        `${core}/services?dryRun=All`,
        { metadata: { name: 'a' }, spec: { externalName: 'x', ports: [{ port: 80 }], externalIPs: ['10.0.0.1'] } },
        { omit: ['spec', 'managedFields', 'status'] },
      ),
      post(
        `${core}/persistentvolumeclaims?dryRun=All`,
        {
          metadata: { name: 'a' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100m' } } },
        },
        { omit: ['managedFields'] },
      ),
    ],
  },
  {
    name: 'found-writes',
    steps: [
      metric({ type: '', resource: { name: 'cpu' } }),
      metric({ type: 'Pods', resource: { name: '', target: { type: 'x' } } }),
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value', value: '0' } }, pods: {} }),
      metric({
        type: 'ContainerResource',
        containerResource: { name: '-a', container: 'A', target: { type: 'Utilization' } },
      }),
      ...quiet(
        post(`${batch}/jobs`, {
          metadata: { name: 'a' },
          spec: { template: { spec: { restartPolicy: 'Never', containers: [container()] } } },
        }),
      ),
      del(`${batch}/jobs/a`, { omit: ['spec', 'managedFields', 'labels'] }),
      ...quiet(
        post(`${core}/persistentvolumeclaims`, {
          metadata: { name: 'a' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      ),
      merge(`${core}/persistentvolumeclaims/a`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
      post('/apis/storage.k8s.io/v1/storageclasses?dryRun=All', {
        metadata: { name: 'found-{ns}' },
        provisioner: 'a',
        allowedTopologies: [{ matchLabelExpressions: [{ key: '', values: ['a', 'a'] }] }, {}],
      }),
      ...quiet(post(`${core}/configmaps`, { metadata: { name: 'a' } })),
      merge(`${core}/configmaps/a`, 'null'),
    ],
  },
  {
    name: 'found-access',
    steps: [
      ...quiet(
        post(`${RBAC}/namespaces/{ns}/roles`, {
          metadata: { name: 'writer' },
          rules: [
            {
              apiGroups: ['rbac.authorization.k8s.io'],
              resources: ['roles', 'rolebindings'],
              verbs: ['create', 'get'],
            },
            { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
          ],
        }),
        post(`${RBAC}/namespaces/{ns}/rolebindings`, {
          metadata: { name: 'writer' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writer' },
          subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'found-{ns}' }],
        }),
        post(`${RBAC}/namespaces/{ns}/roles`, { metadata: { name: 'x' }, rules: [] }, { ...as, until: 201 }),
      ),
      post(
        `${RBAC}/namespaces/{ns}/roles`,
        {
          metadata: { name: 'y' },
          rules: [
            { apiGroups: ['', 'apps'], resources: ['pods', 'secrets'], verbs: ['get', 'list'] },
            { apiGroups: [''], resources: ['configmaps'], resourceNames: ['a', 'b'], verbs: ['get', 'delete'] },
          ],
        },
        as,
      ),
      post(
        `${RBAC}/namespaces/{ns}/roles`,
        { metadata: { name: 'x', labels: { a: 'b' } }, rules: [{ verbs: ['get'], nonResourceURLs: ['*'] }] },
        as,
      ),
      post(
        `${RBAC}/namespaces/{ns}/rolebindings`,
        { metadata: { name: 'z' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'none' } },
        as,
      ),
      review({ fieldSelector: { rawSelector: 'a===' } }),
      review({
        fieldSelector: {
          requirements: [
            { key: 'x', operator: 'Odd' },
            { key: 'x', operator: 'In', values: ['a'] },
          ],
        },
      }),
      review({ labelSelector: { rawSelector: 'a in (b' }, fieldSelector: {} }),
      review({ labelSelector: { rawSelector: 'a', requirements: [{ key: 'app', operator: 'In' }] } }),
      post(`${ACCESS}/namespaces/{ns}/localsubjectaccessreviews`, {
        spec: { user: 'nobody', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
      }),
    ],
  },
];
