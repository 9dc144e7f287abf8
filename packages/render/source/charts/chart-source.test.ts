import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Credentials, GitRepositories } from '@tiphys/git';
import { type FileContent, TestRepository } from '@tiphys/git/testing';
import { writeArchive } from '@tiphys/registry';
import {
  type HelmRepositoryServer,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { Manifests } from '../manifests.ts';
import type { Rendered, RenderRequest } from '../request/rendered.ts';

const secret = 'MARKER-secret';
const user = { username: 'robot', password: secret };
const credentials: Credentials = { ...user, from: 'charts-repo' };
const folder = mkdtempSync(join(tmpdir(), 'tiphys-chart-source-'));
const manifests = new Manifests({
  git: new GitRepositories({ cacheDir: join(folder, 'git'), localRepositories: 'any' }),
  cacheDir: folder,
});
let repository: HelmRepositoryServer;
let registry: OciRegistryServer;

before(async () => {
  repository = await startHelmRepository({ auth: user });
  registry = await startOciRegistry({ auth: { kind: 'bearer', ...user } });
  for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1', '1.3.0+b1']) {
    repository.add('web', version, packageChart('web', version));
    registry.pushChart('charts/web', version, packageChart('web', version));
  }
});
after(async () => {
  await manifests.close();
  await repository.close();
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

function render(source: Partial<ApplicationSource>, more: Partial<RenderRequest> = {}): Promise<Rendered> {
  const whole = { repoURL: repository.url, ...source };
  return manifests.render({
    application: { name: 'shop', namespace: 'argocd', project: 'default' },
    source: whole,
    repository: { url: whole.repoURL, credentials, type: 'helm', plainHttp: true },
    destinationNamespace: 'prod',
    maxAge: 0,
    ...more,
  });
}

async function failureOf(work: Promise<unknown>): Promise<DiagnosisError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  assert.ok(!JSON.stringify(error.diagnosis).includes(secret), 'a secret is told');
  return error;
}

const evidenceOf = ({ diagnosis }: DiagnosisError): Record<string, string> =>
  Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value]));
const data = ({ objects }: Rendered): unknown => objects[0]?.object.data;

test('a chart of a Helm repository: versions, ranges, values and the revision that came of it', async () => {
  const exact = await render({ chart: 'web', targetRevision: '1.0.0' });
  assert.equal(exact.revision, '1.0.0');
  assert.equal(exact.sourceType, 'Helm');
  assert.deepEqual(data(exact), { version: '1.0.0' });
  assert.equal(exact.objects[0]?.object.metadata.name, 'shop-web');
  assert.equal(exact.objects[0]?.origin?.file, 'templates/config.yaml');
  assert.equal((await render({ chart: 'web', targetRevision: '~1.2' })).revision, '1.2.0');
  assert.equal((await render({ chart: 'web', targetRevision: '*' })).revision, '1.3.0+b1');
  assert.equal((await render({ chart: 'web', targetRevision: '>0.0.0-0' })).revision, '2.0.0-rc.1');
  const named = await render({ chart: 'web', targetRevision: '1.0.0', helm: { releaseName: 'other' } });
  assert.equal(named.objects[0]?.object.metadata.name, 'other-web');
});

test('a chart of a registry, by enableOCI without a scheme and by oci://', async () => {
  for (const repoURL of [`${registry.host}/charts`, `oci://${registry.host}/charts`]) {
    const rendered = await render({ repoURL, chart: 'web', targetRevision: '1.x' });
    assert.equal(rendered.revision, '1.3.0+b1', repoURL);
    assert.deepEqual(data(rendered), { version: '1.3.0+b1' });
  }
});

test('an artifact of a registry: a chart or plain manifests, by tag, digest and range; its revision is the digest', async () => {
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {from: layer}\n';
  const layer = writeArchive([{ name: 'deploy/a.yaml', data: Buffer.from(manifest) }]);
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
  const digest = registry.push('apps/shop', '0.4.0', { layers: [{ mediaType, data: layer }] });
  const repoURL = `oci://${registry.host}/apps/shop`;
  for (const targetRevision of ['0.4.0', '0.x', digest]) {
    const rendered = await render({ repoURL, path: 'deploy', targetRevision });
    assert.equal(rendered.revision, digest);
    assert.deepEqual(data(rendered), { from: 'layer' });
    assert.equal(rendered.sourceType, 'Directory');
  }
  const chart = await render({ repoURL: `oci://${registry.host}/charts/web`, path: '.', targetRevision: '1.0.0' });
  assert.match(chart.revision, /^sha256:/);
  assert.equal(chart.sourceType, 'Helm');
  const gone = await failureOf(render({ repoURL, path: 'nowhere', targetRevision: '0.4.0' }));
  assert.equal(gone.diagnosis.cause, 'R10');
});

test('what is not there is told with what is: repository, chart, version, credentials', async () => {
  const version = await failureOf(render({ chart: 'web', targetRevision: '^3' }));
  assert.equal(version.diagnosis.cause, 'R9');
  assert.equal(evidenceOf(version).repository, repository.url);
  assert.equal(evidenceOf(version).versions, '2.0.0-rc.1, 1.3.0+b1, 1.2.0, 1.0.0');
  const name = await failureOf(render({ chart: 'wbe', targetRevision: '1.x' }));
  assert.equal(name.diagnosis.code, 'ChartNotFound');
  assert.equal(evidenceOf(name)['charts there'], 'web');
  const tag = await failureOf(render({ repoURL: `${registry.host}/charts`, chart: 'web', targetRevision: '9.9.9' }));
  assert.equal(tag.diagnosis.code, 'ChartNotFound');
  assert.equal(evidenceOf(tag).versions, '2.0.0-rc.1, 1.3.0+b1, 1.2.0, 1.0.0');
  const none = await failureOf(render({ chart: 'web' }));
  assert.match(none.message, /targetRevision is required/);
  const other = { url: repository.url, credentials: { ...credentials, password: `${secret}x` } };
  const refused = await failureOf(render({ chart: 'web', targetRevision: '1.x' }, { repository: other }));
  assert.equal(refused.diagnosis.code, 'RegistryCredentialRefused');
  assert.equal(evidenceOf(refused).credentials, 'user "robot" from Secret charts-repo');
});

test('a version that was read once is rendered while its repository is down, and a refresh says so', async () => {
  const other = await startHelmRepository();
  other.add('web', '1.0.0', packageChart('web', '1.0.0'));
  const source = { repoURL: other.url, chart: 'web', targetRevision: '1.0.0' };
  const { digest } = await render(source);
  await other.close();
  assert.equal((await render(source, { maxAge: 60_000 })).digest, digest);
  const failed = await failureOf(render(source));
  assert.equal(failed.diagnosis.cause, 'R8');
  assert.equal(failed.handling, 'retryable');
});

const dependent = (dependencies: string): string =>
  `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n${dependencies}`;

async function inGit(files: Record<string, FileContent>, more: Partial<RenderRequest> = {}): Promise<Rendered> {
  const git = new TestRepository(mkdtempSync(join(folder, 'repo-')));
  git.commit(files);
  return render({ repoURL: git.path, path: 'app', targetRevision: 'HEAD' }, { repository: { url: git.path }, ...more });
}

test('a chart in Git gets its dependencies: by URL, by name, from a registry, from a folder', async () => {
  const files = {
    'app/Chart.yaml': dependent(
      [
        `- {name: web, version: ~1.2, repository: "${repository.url}"}`,
        '- {name: web, alias: second, version: 1.0.0, repository: "@mine"}',
        `- {name: web, alias: third, version: 1.3.0+b1, repository: "oci://${registry.host}/charts"}`,
        '- {name: lib, version: 0.x, repository: "file://../lib"}',
      ].join('\n'),
    ),
    'lib/Chart.yaml': 'apiVersion: v2\nname: lib\nversion: 0.3.0\n',
    'lib/templates/l.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lib}\n',
  };
  const dependencyRepository = () => ({ url: repository.url, credentials, plainHttp: true });
  const rendered = await inGit(files, { dependencyRepository });
  assert.deepEqual(
    rendered.objects
      .map(({ object }) => (object.data as { version?: string } | undefined)?.version ?? object.metadata.name)
      .sort(),
    ['1.0.0', '1.2.0', '1.3.0+b1', 'lib'],
  );
  assert.match(rendered.readSet.facts['dependency lib'] ?? '', /^0\.3\.0 of file:\/\/\.\.\/lib, sha256:/);
  assert.ok(rendered.readSet.paths.some(({ path }) => path === 'lib/templates/l.yaml'));
});

test('M3: a dependency that can not be had is named with its repository and what is there', async () => {
  const files = { 'app/Chart.yaml': dependent(`- {name: web, version: ^7, repository: "${repository.url}"}\n`) };
  const dependencyRepository = () => ({ url: repository.url, credentials });
  const version = await failureOf(inGit(files, { dependencyRepository }));
  assert.equal(version.diagnosis.cause, 'M3');
  assert.match(
    version.message,
    /The dependency web \^7 of http:\S+ can not be fetched: The repository has no version \^7/,
  );
  assert.equal(evidenceOf(version).versions, '2.0.0-rc.1, 1.3.0+b1, 1.2.0, 1.0.0');
  assert.equal(version.diagnosis.place?.file, 'app/Chart.yaml');
  const refused = await failureOf(inGit(files));
  assert.equal(refused.diagnosis.cause, 'M3');
  assert.equal(evidenceOf(refused).credentials, 'none');
  const outOfSync = await failureOf(
    inGit(
      {
        ...files,
        'app/Chart.lock': `dependencies:\n- name: web\n  repository: ${repository.url}\n  version: 1.0.0\ndigest: sha256:00\n`,
      },
      { dependencyRepository },
    ),
  );
  assert.match(outOfSync.message, /Chart.lock was made for other dependencies/);
  assert.match(evidenceOf(outOfSync).differences ?? '', /web is locked to 1.0.0, wanted \^7/);
});

test('a dependency whose repository the project does not permit gets no credentials, and the failure says so', async () => {
  const files = { 'app/Chart.yaml': dependent(`- {name: web, version: 1.x, repository: "${repository.url}"}\n`) };
  const failed = await failureOf(inGit(files, { permitsRepository: () => false }));
  assert.equal(failed.diagnosis.code, 'DependencyNotPermitted');
  assert.equal(failed.diagnosis.message, `helm repos ${repository.url} are not permitted in project 'default'`);
  assert.equal(failed.diagnosis.causes?.[0]?.code, 'RegistryCredentialRefused');
});

test('CVE-2023-40026: a dependency of a folder outside of the repository is refused, links too', async () => {
  for (const path of ['file:///etc', 'file://../../other', 'file://../out']) {
    const files: Record<string, FileContent> = {
      'app/Chart.yaml': dependent(`- {name: lib, version: "*", repository: "${path}"}\n`),
      out: { link: '../../etc' },
    };
    assert.match((await failureOf(inGit(files))).diagnosis.cause, /M3|LinkLeavesRepository/, path);
  }
});

test('CVE-2026-50163: a layer with links or paths out of it is refused; links inside it are followed', async () => {
  const mediaType = 'application/vnd.oci.image.layer.v1.tar';
  const repoURL = `oci://${registry.host}/apps/links`;
  const entry = (name: string, type: string, target = ''): Buffer => {
    const header = Buffer.alloc(512);
    header.write(name);
    header.write('0000644\0', 100);
    header.write('00000000000\0', 124);
    header.write(type, 156);
    header.write(target, 157);
    return header;
  };
  const end = Buffer.alloc(1024);
  const cases: [string, Buffer[]][] = [
    ['1.0.0', [entry('a/../../x.yaml', '0')]],
    ['1.0.1', [entry('/etc/x.yaml', '0')]],
    ['1.0.2', [entry('x.yaml', '1', '/etc/passwd')]],
    ['1.0.3', [entry('x.yaml', '2', '/etc/passwd')]],
    ['1.0.4', [entry('x.yaml', '2', '../../etc/passwd')]],
    ['1.0.5', [entry('x', '3')]],
  ];
  for (const [tag, parts] of cases) {
    registry.push('apps/links', tag, { layers: [{ mediaType, data: Buffer.concat([...parts, end]) }] });
    const failure = await failureOf(render({ repoURL, path: '.', targetRevision: tag }));
    assert.match(failure.diagnosis.code, /RegistryAnswerRefused|LinkLeavesRepository/, tag);
  }
});
