import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { type FileContent, TestRepository } from '@tiphys/git/testing';
import { Manifests } from './manifests.ts';
import type { Rendered } from './rendered.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-source-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache') });
const manifests = new Manifests({ git });
let count = 0;

after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

function repositoryOf(files: Record<string, FileContent>): TestRepository {
  count += 1;
  const repository = new TestRepository(join(folder, `r${count}`));
  repository.commit(files);
  return repository;
}

function render(repository: TestRepository, source: Partial<ApplicationSource> = {}, options: { name?: string; manifests?: Manifests } = {}): Promise<Rendered> {
  return (options.manifests ?? manifests).render({
    application: { name: options.name ?? 'shop', namespace: 'argocd', project: 'default' },
    source: { repoURL: repository.path, path: 'app', ...source },
    repository: { url: repository.path },
    destinationNamespace: 'shop',
    maxAge: 0,
  });
}

async function diagnosisOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => assert.fail('it rendered'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}

const configMap = (name: string, extra = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${extra}`;
const found = (rendered: Rendered) => rendered.objects.map(({ object, origin }) => `${object.kind} ${object.metadata.name} ${origin.file}:${origin.line}`);

test('files are read in order of name; documents, lists and JSON are taken apart', async () => {
  const repository = repositoryOf({
    'app/b.yaml': `# first\n---\n${configMap('b1')}---\n\n---\n# note\n${configMap('b2')}`,
    'app/a.yml': `apiVersion: v1\nkind: List\nitems:\n- ${configMap('a1').replaceAll('\n', '\n  ').trimEnd()}\n- ${configMap('a2').replaceAll('\n', '\n  ').trimEnd()}\n`,
    'app/c.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }),
    'app/notes.txt': 'nothing',
    'app/values.yaml': 'replicas: 1\n',
    'app/sub/d.yaml': configMap('d'),
  });
  const rendered = await render(repository);
  assert.deepEqual(found(rendered), ['ConfigMap a1 app/a.yml:4', 'ConfigMap a2 app/a.yml:8', 'ConfigMap b1 app/b.yaml:3', 'ConfigMap b2 app/b.yaml:11', 'ConfigMap c app/c.json:1']);
  assert.equal(rendered.sourceType, 'Directory');
  assert.deepEqual(found(await render(repository, { directory: { recurse: true, include: '{sub/*,c.json}' } })), ['ConfigMap c app/c.json:1', 'ConfigMap d app/sub/d.yaml:1']);
  assert.deepEqual(found(await render(repository, { directory: { recurse: true, exclude: '*.y*ml' } })), ['ConfigMap c app/c.json:1']);
});
