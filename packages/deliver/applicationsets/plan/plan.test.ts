import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { applicationSet } from '../testing/fixed-sources.ts';
import { type Change, ignoreRulesOf, planChange, planOwnership } from './plan.ts';

const set = applicationSet({});

function desired(change: (application: Application) => void = () => undefined): Application {
  const application: Application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', namespace: 'argocd', labels: { team: 'x' } },
    spec: { project: 'default', source: { repoURL: 'r', path: 'p' }, destination: { name: 'in-cluster' } },
  };
  change(application);
  return application;
}

const plain = { preserved: { annotations: [], labels: [] }, rules: undefined };

/** As it is stored after it was created. */
function live(change: (application: Application) => void = () => undefined): Application {
  const made = planChange(set, desired(), undefined, plain);
  assert.equal(made.kind, 'create');
  const { application } = made as Extract<Change, { kind: 'create' }>;
  const stored = structuredClone(application);
  stored.metadata.resourceVersion = '7';
  change(stored);
  return stored;
}

const patchOf = (change: Change) => (change.kind === 'update' ? change.patch : change.kind);

test('what was created is left alone; one field that differs is one field of a patch', () => {
  assert.equal(planChange(set, desired(), live(), plain).kind, 'none');
  const other = desired(({ spec }) => Object.assign(spec.source ?? {}, { targetRevision: 'v2' }));
  assert.deepEqual(patchOf(planChange(set, other, live(), plain)), { spec: { source: { targetRevision: 'v2' } } });
});

test('what says nothing is no difference: empty parts, empty policies, an absent project', () => {
  const empty = desired(({ spec }) => {
    spec.syncPolicy = {};
    spec.project = '';
    Object.assign(spec.source ?? {}, { helm: {}, kustomize: { namePrefix: '' } });
  });
  assert.equal(planChange(set, empty, live(), plain).kind, 'none');
});

test('what others have added is taken off, but for what is preserved and what belongs to others', () => {
  const touched = live(({ metadata }) => {
    metadata.labels = { ...metadata.labels, mine: '1', kept: '2' };
    metadata.annotations = {
      'argocd.argoproj.io/refresh': 'normal',
      'tiphys.dev/show-refresh': 'true',
      'tiphys.dev/notification-outbox': '[]',
      'tiphys.dev/notification-problems': '[]',
      note: 'x',
      kept: 'y',
    };
    metadata.finalizers = ['post-delete-finalizer.argocd.argoproj.io/cleanup', 'other'];
  });
  const preserved = { annotations: ['kept'], labels: ['kept'] };
  assert.deepEqual(patchOf(planChange(set, desired(), touched, { ...plain, preserved })), {
    metadata: {
      labels: { mine: null },
      annotations: { note: null },
      finalizers: ['post-delete-finalizer.argocd.argoproj.io/cleanup'],
    },
  });
});

test('fields that are ignored are neither compared nor written', () => {
  const ignoring = applicationSet({
    ignoreApplicationDifferences: [
      { jsonPointers: ['/spec/source/targetRevision'] },
      { jqPathExpressions: ['.spec.syncPolicy'] },
    ],
  });
  const rules = ignoreRulesOf(ignoring);
  const byHand = live(({ spec }) => {
    Object.assign(spec.source ?? {}, { targetRevision: 'hotfix' });
    spec.syncPolicy = { automated: {} };
  });
  assert.equal(planChange(set, desired(), byHand, { ...plain, rules }).kind, 'none');
  const other = desired(({ spec }) => Object.assign(spec.source ?? {}, { path: 'q', targetRevision: 'main' }));
  assert.deepEqual(patchOf(planChange(set, other, byHand, { ...plain, rules })), { spec: { source: { path: 'q' } } });
});

test('an Application of another set is refused; one of nobody is taken over; one that is going is left', () => {
  const foreign = live(({ metadata }) =>
    Object.assign(metadata.ownerReferences?.[0] ?? {}, { uid: 'other', name: 'their' }),
  );
  const refused = planChange(set, desired(), foreign, plain);
  assert.match(
    refused.kind === 'refused' ? refused.diagnosis.message : '',
    /already owned by another ApplicationSet controller their/,
  );
  const orphan = live(({ metadata }) => {
    metadata.ownerReferences = [];
  });
  assert.equal(planChange(set, desired(), orphan, plain).kind, 'update');
  const going = live(({ metadata, spec }) => {
    metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    spec.project = 'old';
  });
  assert.equal(planChange(set, desired(), going, plain).kind, 'none');
});

test('Applications that the policy keeps do not block the deletion of their set', () => {
  const change = planOwnership(set, live(), true);
  const references = (patchOf(change) as { metadata: { ownerReferences: { blockOwnerDeletion: boolean }[] } }).metadata
    .ownerReferences;
  assert.deepEqual(
    references.map(({ blockOwnerDeletion }) => blockOwnerDeletion),
    [false],
  );
  assert.equal(planOwnership(set, live(), false).kind, 'none');
});
