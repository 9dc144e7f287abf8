import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deepEqual } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { hydrationCommands } from './commands.ts';
import { failureWait, hydrationNeed } from './decide.ts';
import { metadataOf } from './dry-commit.ts';
import { folderOf, manifestText, metadataText } from './files.ts';
import { commitMessage, readme } from './templates.ts';
import type { SourceHydrator } from './types.ts';

const author = { name: 'Zoë', email: 'zoe@example.com', date: '2026-01-02T03:04:05.000Z' };
const sha = '0123456789012345678901234567890123456789';

test('trailers that refer to another commit are read, those with values that are not valid stay in the body', () => {
  const message = [
    'Subject',
    '',
    'Body',
    'Argocd-reference-commit-sha: abcdef1',
    'Argocd-reference-commit-author: Ann <ann@example.com>',
    'Argocd-reference-commit-body: "two\\nlines"',
    'Argocd-reference-commit-date: yesterday',
    'Argocd-reference-commit-unknown: x',
    '',
  ].join('\n');
  const metadata = metadataOf('https://example.com/r', { sha, author, message });
  assert.deepEqual(JSON.parse(metadataText(metadata)), {
    repoURL: 'https://example.com/r',
    drySha: sha,
    author: 'Zoë <zoe@example.com>',
    date: '2026-01-02T03:04:05Z',
    subject: 'Subject',
    body: 'Body\nArgocd-reference-commit-date: yesterday\nArgocd-reference-commit-unknown: x\n',
    references: [{ commit: { sha: 'abcdef1', author: 'Ann <ann@example.com>', body: 'two\nlines' } }],
  });
  assert.match(
    commitMessage(metadata),
    /^0123456: Subject\n\nBody\n[\s\S]*Co-authored-by: Ann <ann@example.com>\nCo-authored-by: Zoë <zoe@example.com>\n$/,
  );
  assert.match(readme(metadata), /git checkout 0123456789[\s\S]*\* \[abcdef1\]/);
});

test('a template of argocd-cm is used, and one that fails is named by its key', () => {
  const metadata = metadataOf('r', { sha, author, message: 'S' });
  assert.equal(commitMessage(metadata, '{{ .metadata.drySha | trunc 3 }} {{ .metadata.subject | upper }}'), '012 S\n');
  assert.equal(readme(metadata, '{{ .DrySHA | trunc 2 }}'), '01');
  assert.throws(
    () => readme(metadata, '{{ fail "no" }}'),
    (error) =>
      error instanceof DiagnosisError && error.diagnosis.place?.field === 'sourceHydrator.readmeMessageTemplate',
  );
});

test('manifests are printed as documents, two spaces a level', () => {
  const objects = [
    { kind: 'B', spec: { list: [{ a: 1 }] } },
    { kind: 'A', text: 'x\ny\n' },
  ];
  assert.equal(manifestText(objects), 'kind: B\nspec:\n  list:\n    - a: 1\n---\nkind: A\ntext: |\n  x\n  y\n');
});

test('folders are read without dots and slashes that say nothing, and none leaves the repository', () => {
  assert.deepEqual(['./', '.', '/a//b/', 'a/../b'].map(folderOf), ['', '', 'a/b', undefined]);
});

test('commands say how to make the manifests; nothing in them ends a word or the block', () => {
  const helm = { repoURL: 'r', path: 'chart', helm: { parameters: [{ name: 'a', value: "it's\n```" }] } };
  assert.deepEqual(hydrationCommands(helm as never, { sourceType: 'Helm', release: 'web', namespace: 'prod' }), [
    "helm template chart --name-template web --namespace prod --set 'a=it'\\''s '\\'''\\'''\\''' --include-crds",
  ]);
  const kustomize = { repoURL: 'r', path: 'over', kustomize: { namePrefix: 'x-' } };
  assert.deepEqual(hydrationCommands(kustomize as never, { sourceType: 'Kustomize', release: 'w', namespace: '' }), [
    'cd over',
    'kustomize edit set nameprefix -- x-',
    'kustomize build .',
  ]);
  assert.deepEqual(hydrationCommands(kustomize as never, { sourceType: 'Directory', release: 'w', namespace: '' }), []);
});

test('an application is hydrated for the first time, anew, when asked, and after a failure not at every look', () => {
  const spec = {
    drySource: { repoURL: 'r', path: 'p', targetRevision: 'main' },
    syncSource: { targetBranch: 'b', path: 'o' },
  } as SourceHydrator;
  const now = Date.parse('2026-01-01T00:10:00Z');
  const need = (
    phase: 'Hydrating' | 'Failed' | 'Hydrated' | undefined,
    more: {
      requested?: 'normal' | 'hard';
      compared?: boolean;
      finishedAt?: string;
      sourceHydrator?: SourceHydrator;
    } = {},
  ) => {
    const { requested, compared = true, ...operation } = more;
    const status = {
      ...(compared ? { lastComparedDryRevision: sha } : {}),
      ...(phase ? { currentOperation: { phase, message: '', sourceHydrator: spec, ...operation } } : {}),
    };
    return hydrationNeed({ spec, status, requested, now, equal: deepEqual });
  };
  assert.deepEqual(need(undefined), { kind: 'hydrate' });
  assert.deepEqual(need('Hydrated'), { kind: 'compare' });
  assert.deepEqual(need('Hydrated', { requested: 'hard' }), { kind: 'hydrate' });
  assert.deepEqual(need('Hydrated', { sourceHydrator: { ...spec, hydrateTo: { targetBranch: 'n' } } }), {
    kind: 'hydrate',
  });
  const finishedAt = new Date(now - 60_000).toISOString();
  assert.deepEqual(need('Failed', { finishedAt }), { kind: 'compare' });
  assert.deepEqual(need('Failed', { finishedAt, requested: 'normal' }), { kind: 'hydrate' });
  assert.deepEqual(need('Failed', { finishedAt, compared: false }), { kind: 'wait', delay: 60_000 });
  assert.deepEqual(need('Failed', { finishedAt: new Date(now - failureWait).toISOString() }), { kind: 'hydrate' });
});
