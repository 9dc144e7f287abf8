import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { eventually } from '../testing/eventually.ts';

const cluster = await startSandbox({ nodes: 0 });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'test' } });
after(async () => {
  await client.close();
  await cluster.close();
});

interface Policy extends KubeObject {
  status?: {
    observedGeneration?: number;
    typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] };
  };
}

const apiVersion = 'admissionregistration.k8s.io/v1';
const kind = 'ValidatingAdmissionPolicy';

/** The status of a policy about these resources, with the digits of made-up names of types taken out. */
async function checked(
  name: string,
  resources: { [group: string]: string[] },
  spec: object,
): Promise<Policy['status']> {
  const resourceRules = Object.entries(resources).map(([group, plurals]) => ({
    operations: ['*'],
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: plurals,
  }));
  await client.create({ apiVersion, kind, metadata: { name }, spec: { matchConstraints: { resourceRules }, ...spec } });
  const seen = await eventually<Policy>(
    client,
    apiVersion,
    kind,
    name,
    (policy) => policy?.status?.observedGeneration === 1,
  );
  return JSON.parse(JSON.stringify(seen.status).replace(/(Deployment|ConfigMap)\d+/g, '$1#')) as Policy['status'];
}

test('expressions are checked by the types of all kinds that a policy names', async () => {
  const status = await checked(
    'kinds',
    { apps: ['deployments'], '': ['configmaps', 'pods/log', '*'] },
    {
      variables: [{ name: 'spec', expression: 'object.spec' }],
      validations: [
        { expression: 'object.spec.replicas > 1' },
        { expression: 'variables.spec.anything == 1', messageExpression: "string(object.metadata.labels + 'x')" },
      ],
    },
  );
  const noField = "ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.replicas > 1\n | ......^";
  const noSum = (map: string) =>
    `ERROR: <input>:1:31: found no matching overload for '_+_' applied to '(${map}, string)'\n | string(object.metadata.labels + 'x')\n | ..............................^`;
  assert.deepEqual(status, {
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        { fieldRef: 'spec.validations[0].expression', warning: `/v1, Kind=ConfigMap: ${noField}\n` },
        {
          fieldRef: 'spec.validations[1].messageExpression',
          warning: `/v1, Kind=ConfigMap: ${noSum('map(string, string)')}\n\napps/v1, Kind=Deployment: ${noSum('map(string, string)')}\n`,
        },
      ],
    },
  });
});

test('parameters are checked by the type of their kind, and custom resources by their schema', async () => {
  await client.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sizes.typed.example.com' },
    spec: {
      group: 'typed.example.com',
      scope: 'Namespaced',
      names: { plural: 'sizes', kind: 'Size' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  } as KubeObject);
  await eventually(
    client,
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'sizes.typed.example.com',
    (found) =>
      JSON.stringify(found?.status ?? '').includes('"Established","status":"True"') ||
      JSON.stringify(found?.status ?? '').includes('InitialNamesAccepted'),
  );
  const status = await checked(
    'custom',
    { 'typed.example.com': ['sizes'] },
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        { expression: "object.spec.size == 'a'" },
        { expression: "params.nope == 'a'" },
        { expression: "params.data.key == 'a' && object.spec.size < 3 && object.metadata.name != 'x'" },
      ],
    },
  );
  const found = (text: string) => `typed.example.com/v1, Kind=Size: ERROR: <input>:${text}\n`;
  assert.deepEqual(status?.typeChecking?.expressionWarnings, [
    {
      fieldRef: 'spec.validations[0].expression',
      warning: found(
        "1:18: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.size == 'a'\n | .................^",
      ),
    },
    {
      fieldRef: 'spec.validations[1].expression',
      warning: found("1:7: undefined field 'nope'\n | params.nope == 'a'\n | ......^"),
    },
  ]);
});
