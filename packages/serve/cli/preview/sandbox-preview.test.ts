import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { runOwnCommands } from '../own-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-preview-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const url = 'https://git.example.com/shop/infra.git';

const git = (...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });

function commit(files: Record<string, string | undefined>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
  }
  git('add', '--all');
  git('commit', '--quiet', '--message', 'change');
}

async function preview(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const code = await runOwnCommands(['preview', '--sandbox', ...args], {
    output: { out: write, error: write, colours: false },
    env: {},
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  return { code, text: lines.join('\n') };
}

const application = (name: string, path: string, more = '') => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  project: ${name.startsWith('shop') ? 'shop' : 'default'}
  destination: {name: production, namespace: ${name}}
  source: {repoURL: ${url}, targetRevision: main, path: ${path}${more}}
`;

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {key: ${value}}\n`;

const secret = (value: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: ${value}}\n`;

const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: teams, namespace: argocd}
spec:
  goTemplate: true
  generators: [{git: {repoURL: ${url}, revision: HEAD, directories: [{path: teams/*}]}}]
  template:
    metadata: {name: 'team-{{.path.basename}}'}
    spec:
      project: default
      destination: {name: production, namespace: teams}
      source: {repoURL: ${url}, targetRevision: HEAD, path: '{{.path.path}}'}
`;

test('a clone alone says what a merge changes of declared, made and generated applications', async () => {
  git('init', '--quiet', '--initial-branch', 'main');
  // another transport and another user than the applications have
  git('remote', 'add', 'origin', 'git@git.example.com:shop/infra.git');
  commit({
    'apps/root.yaml': application('root', 'charts/apps'),
    'apps/gone.yaml': application('gone', 'gone'),
    'apps/broken.yaml': application('broken', 'broken'),
    'apps/other.yaml': application('other', 'teams/a').replace('targetRevision: main', 'targetRevision: release'),
    'apps/teams.yaml': set,
    'charts/apps/Chart.yaml': 'apiVersion: v2\nname: apps\nversion: 1.0.0\n',
    'charts/apps/templates/app.yaml': `{{- range .Values.names }}\n---\n${application('shop-{{ . }}', 'shop')}{{- end }}\n`,
    'charts/apps/values.yaml': 'names: [one]\n',
    'shop/a.yaml': configMap('shop', 'old'),
    'shop/s.yaml': secret('hunter2'),
    'gone/a.yaml': configMap('gone', 'old'),
    'broken/kustomization.yaml': 'resources: [missing.yaml]\n',
    'teams/a/a.yaml': configMap('a', 'old'),
  });
  git('branch', 'release');
  git('checkout', '--quiet', '-b', 'feature');
  commit({
    'apps/gone.yaml': undefined,
    'charts/apps/values.yaml': 'names: [one, two]\n',
    'shop/s.yaml': secret('hunter3'),
    'teams/b/a.yaml': configMap('b', 'new'),
  });
  git('checkout', '--quiet', 'main');
  // what the base got since then is not shown as taken back
  commit({ 'teams/a/a.yaml': configMap('a', 'later') });

  const { code, text } = await preview('--base', 'main', '--head', 'feature', '--exit-code');
  assert.equal(code, 1, text);
  assert.match(text, /^argocd\/gone, no longer declared\n===== delete \/ConfigMap gone\/gone ======$/m);
  assert.match(text, /^argocd\/root\n===== create argoproj.io\/Application argocd\/shop-two ======$/m);
  assert.match(text, /^argocd\/shop-one\n===== change \/Secret shop-one\/key ======$/m);
  assert.match(text, /^argocd\/shop-two, new\n===== create \/ConfigMap shop-two\/shop ======$/m);
  assert.match(text, /^argocd\/team-b, new\n===== create \/ConfigMap teams\/b ======$/m);
  assert.match(text, /^argocd\/broken\n.*missing\.yaml.*\(as before\)$/m);
  assert.match(text, /note: project shop is declared nowhere here/);
  assert.doesNotMatch(text, /hunter|aHVudGVy|later|argocd\/other|team-a/);
  assert.match(text, /5 of 8 applications would change, 1 cannot be rendered$/);

  const markdown = await preview('--base', 'main', '--head', 'feature', '-o', 'markdown');
  assert.equal(markdown.code, 0);
  assert.match(markdown.text, /### argocd\/shop-two, new\n\n<details><summary>create \/ConfigMap shop-two\/shop/);
  assert.match((await preview('--base', 'main', '--head', 'feature', '--app', 'team-b')).text, /^1 of 1 application /m);
});

test('what cannot be rendered any more fails, and so does a revision that the clone does not have', async () => {
  git('checkout', '--quiet', '-b', 'bad', 'main');
  commit({ 'teams/a/kustomization.yaml': 'resources: [missing.yaml]\n' });
  const { code, text } = await preview('--base', 'main');
  assert.equal(code, 2, text);
  assert.match(text, /0 of \d applications would change, 2 cannot be rendered/);
  const missing = await preview('--base', 'elsewhere');
  assert.equal(missing.code, 20);
  assert.match(missing.text, /has no revision "elsewhere"[\s\S]*git fetch origin elsewhere/);
  assert.match((await preview('--base', 'main', '--clone', tmpdir())).text, /is in no clone of a Git repository/);
});

test('projects of the commit bind, and settings of elsewhere count', async () => {
  git('checkout', '--quiet', '-b', 'bound', 'main');
  commit({
    'apps/project.yaml':
      'apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: shop, namespace: argocd}\nspec: {sourceRepos: [https://git.example.com/other]}\n',
  });
  assert.match((await preview('--base', 'main', '--app', 'shop-one')).text, /not permitted in project/);
  writeFileSync(
    join(folder, '..', `${folder.split('/').at(-1)}.yaml`),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {kustomize.enable: "false"}\n',
  );
  const settings = `${folder}.yaml`;
  after(() => rmSync(settings));
  const { text } = await preview('--base', 'main', '--app', 'broken', '--settings', settings);
  assert.doesNotMatch(text, /missing\.yaml/);
});
