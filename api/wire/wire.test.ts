import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ApplicationListSchema, ApplicationSchema } from '../generated/argocd/types/application_pb.js';
import { ResourceNodeSchema } from '../generated/argocd/types/resource_pb.js';
import { fromWire, toWire } from './wire.ts';
import { WireError } from './wire-error.ts';

/** Over the wire and back. */
const roundTrip = (json: unknown) =>
  fromWire(
    ApplicationSchema,
    fromBinary(ApplicationSchema, toBinary(ApplicationSchema, toWire(ApplicationSchema, json))),
  );

const application = {
  metadata: {
    name: 'shop',
    namespace: 'argocd',
    creationTimestamp: '2026-01-02T03:04:05Z',
    generation: 3,
    labels: { team: 'a' },
    managedFields: [
      {
        manager: 'x',
        operation: 'Update',
        apiVersion: 'argoproj.io/v1alpha1',
        time: '2026-01-02T03:04:05Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {} } },
      },
    ],
  },
  spec: {
    source: {
      repoURL: 'https://example.test/r',
      path: 'p',
      helm: { valuesObject: { a: { b: [1, 'two', null, true] } }, parameters: [{ name: 'x', value: '1' }] },
      kustomize: {
        replicas: [
          { name: 'web', count: 3 },
          { name: 'db', count: '50%' },
        ],
      },
      plugin: {
        parameters: [
          { name: 'p', map: {}, array: ['x'] },
          { name: 'q', string: '' },
        ],
      },
    },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    project: 'default',
    revisionHistoryLimit: 0,
    syncPolicy: {
      automated: { enabled: false, prune: true },
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 2, backoff: { duration: '5s', factor: 2 } },
    },
  },
  status: {
    diagnoses: [
      {
        code: 'RevisionNotFound',
        cause: 'R9',
        message: 'x',
        place: { file: 'a.yaml', line: 3 },
        evidence: [{ name: 'n', value: 'v' }],
        remedies: [{ text: 'do', paste: 'cmd' }],
      },
    ],
    operationState: {
      operation: { sync: { syncStrategy: { hook: { force: true } } } },
      phase: 'Running',
      startedAt: '2026-01-02T03:04:05Z',
    },
    history: [{ id: 1, revision: 'abc', deployedAt: '2026-01-02T03:04:05Z' }],
  },
};

test('what an application says survives the wire', () => {
  const back = roundTrip(application) as unknown as typeof application;
  assert.deepEqual(back.metadata, application.metadata);
  assert.deepEqual(back.spec, application.spec);
  assert.deepEqual(back.status.diagnoses, application.status.diagnoses);
  assert.deepEqual(back.status.operationState.operation.sync.syncStrategy, { hook: { force: true } });
  assert.equal(back.status.history[0]?.id, 1);
});

test('zero values of pointers stay, those of plain fields go, as Go leaves them out', () => {
  const { spec } = roundTrip({
    spec: {
      project: '',
      destination: { namespace: '' },
      revisionHistoryLimit: 0,
      source: { repoURL: '', path: '', directory: { recurse: false } },
    },
  });
  assert.deepEqual(spec, {
    project: '',
    destination: {},
    revisionHistoryLimit: 0,
    source: { repoURL: '', directory: {} },
  });
});

test('fields without omitempty are there even when they are unset', () => {
  const empty = fromWire(ApplicationListSchema, toWire(ApplicationListSchema, {}));
  assert.deepEqual(empty, { metadata: {}, items: null });
  assert.deepEqual((roundTrip({}) as unknown as { status: object }).status, {
    sync: { status: '', comparedTo: { destination: {}, source: { repoURL: '' } } },
    health: {},
    summary: {},
    sourceHydrator: {},
  });
});

test('embedded structs are flat in JSON and messages on the wire', () => {
  const node = {
    group: 'apps',
    kind: 'Deployment',
    name: 'web',
    uid: 'u',
    parentRefs: [{ kind: 'X', name: 'y' }],
    createdAt: '2026-01-02T03:04:05Z',
  };
  const message = toWire(ResourceNodeSchema, node);
  assert.equal(message.resourceRef?.name, 'web');
  assert.deepEqual(fromWire(ResourceNodeSchema, message), node);
});

test('a value of the wrong type is refused with its place', () => {
  assert.throws(
    () => toWire(ApplicationSchema, { spec: { source: { helm: { parameters: [{ name: 1 }] } } } }),
    (error) => error instanceof WireError && error.field === 'spec.source.helm.parameters[0].name',
  );
  assert.throws(
    () => toWire(ApplicationSchema, { metadata: { creationTimestamp: 'yesterday' } }),
    /metadata\.creationTimestamp: wanted a time as RFC 3339 has it/,
  );
  assert.throws(() => toWire(ApplicationSchema, []), /wanted an object, found a list/);
});

test('fields that the message does not have are ignored', () => {
  assert.deepEqual(roundTrip({ metadata: { name: 'x' }, apiVersion: 'argoproj.io/v1alpha1', unknown: 1 }).metadata, {
    name: 'x',
  });
});
