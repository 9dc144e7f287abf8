import type { Case, Step } from './run-case.ts';
import { core, get, post, quiet } from './steps.ts';

const pod = (name: string, spec: object = {}): Step =>
  post(`${core}/pods`, {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'b' }], ...spec },
  });
const bind = (name: string, body: object, omit: readonly string[] = []): Step =>
  post(
    `${core}/pods/${name}/binding`,
    { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'n' }, ...body },
    { omit },
  );
/** Pods are given to nodes. */
export const bindingCases: readonly Case[] = [
  {
    name: 'pod-bindings',
    steps: [
      ...quiet(pod('a'), pod('gated', { schedulingGates: [{ name: 'example.com/g' }] })),
      bind('gated', {}),
      bind('a', { target: {} }),
      bind('a', { target: { kind: 'Pod', name: 'n' } }),
      bind('a', { target: { kind: 'Pod' } }),
      bind('a', { metadata: { name: 'b' } }),
      bind('a', { metadata: {} }),
      bind('a', { metadata: { name: 'a', namespace: 'other' } }),
      bind('a', { metadata: { name: 'a', uid: 'wrong' } }),
      bind('a', { metadata: { name: 'a', resourceVersion: '1' } }, ['message']),
      bind('none', {}),
      post(`${core}/bindings`, { metadata: {}, target: { name: 'n' } }),
      post(`${core}/bindings`, { metadata: { name: 'none' }, target: { name: 'n' } }),
      { ...bind('a', {}), path: `${core}/pods/a/binding?dryRun=All` },
      bind('a', {
        metadata: { name: 'a', labels: { from: 'binding' }, annotations: { from: 'binding' } },
        target: { name: 'n' },
      }),
      bind('a', {}),
      get(`${core}/pods/a`, {}, { omit: ['managedFields', 'spec'] }),
    ],
  },
];
