import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinitions } from '@tiphys/api';
import { connect, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { ensureDefinitions } from './definitions.ts';

const definition = (metadata: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: ${metadata}
spec:
  group: tiphys.test
  names: {kind: Sail, listKind: SailList, plural: sails, singular: sail}
  scope: Namespaced
  versions:
  - additionalPrinterColumns: [{jsonPath: .spec.x, name: X, type: string}]
    name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

test('an identity without rights to definitions takes those that somebody else installed', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { asker: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  const other = admin.impersonating({ name: 'somebody', groups: ['system:authenticated'] });
  for (const metadata of ['{name: sails.tiphys.test}', '\n  annotations: {a: b}\n  name: sails.tiphys.test']) {
    const texts = [{ file: 'sails.yaml', text: definition(metadata) }];
    await ensureDefinitions(admin, texts, systemClock);
    await ensureDefinitions(admin, texts, systemClock);
    await ensureDefinitions(other, texts, systemClock);
  }
});

test('what nobody installed and the identity may not install is told with the command', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const admin = connect(sandbox.config, { asker: { component: 'test', purpose: 'definitions' } });
  t.after(() => admin.close());
  const other = admin.impersonating({ name: 'somebody', groups: ['system:authenticated'] });
  let now = 0;
  const clock = {
    ...systemClock,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  await assert.rejects(ensureDefinitions(other, customResourceDefinitions().slice(0, 1), clock), /may not install it/);
});
