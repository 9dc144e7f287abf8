import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ApplicationSourceHelm } from '@tiphys/api';
import type { TestRepository } from '@tiphys/git/testing';
import { diagnosisOf, SourceWorld } from '../testing/source-world.ts';
import type { ReferencedSource, Rendered, RenderRequest } from './rendered.ts';

const world = new SourceWorld();
const chart = world.repositoryOf({
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'a: chart\nb: chart\n',
  'chart/templates/cm.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  value: "{{ .Values.a }} {{ .Values.b }} {{ .Values.c }}"\n',
});

const render = (
  helm: ApplicationSourceHelm,
  references: Record<string, ReferencedSource> | undefined,
  more?: Partial<RenderRequest>,
): Promise<Rendered> =>
  world.render(
    chart,
    { path: 'chart', helm },
    { ...(references ? { several: true, references: new Map(Object.entries(references)) } : {}), ...more },
  );

const rendering = ({ objects }: Rendered) => (objects[0]?.object.data as { value: string } | undefined)?.value;
const referenceTo = (repository: TestRepository, revision = 'HEAD'): ReferencedSource => ({
  repository: { url: repository.path },
  revision,
});

test('values files and file parameters of another source: globs, variables in the rest, missing ones', async () => {
  const values = world.repositoryOf({
    'envs/1.yaml': 'a: one\nb: one\n',
    'envs/2.yaml': 'b: two\n',
    'shop/text.txt': 'text',
    'top.yaml': 'a: top\n',
  });
  const references = { values: referenceTo(values) };
  assert.equal(rendering(await render({ valueFiles: ['$values/envs/*.yaml'] }, references)), 'one two ');
  assert.equal(
    rendering(await render({ valueFiles: ['$values/envs/**/*.yaml', '$values/envs/1.yaml'] }, references)),
    'one one ',
    'a file that is listed by itself stays at its own place',
  );
  const rendered = await render(
    {
      valueFiles: ['values.yaml', '$values/top.yaml', '$values/none.yaml'],
      ignoreMissingValueFiles: true,
      fileParameters: [{ name: 'c', path: '$values/$ARGOCD_APP_NAME/text.txt' }],
    },
    references,
  );
  assert.equal(rendering(rendered), 'top chart text');
  const read = rendered.readSet.paths.map(({ path }) => path);
  for (const path of ['$values/top.yaml', '$values/none.yaml', '$values/shop/text.txt']) assert.ok(read.includes(path));
  const missing = await diagnosisOf(render({ valueFiles: ['$values/tpo.yaml'] }, references));
  assert.match(missing.message, /open \$values\/tpo.yaml: no such file/);
  assert.equal(missing.evidence.find(({ name }) => name === 'nearest names')?.value, 'top.yaml');
});

test('two sources may refer to two revisions of one repository', async () => {
  const values = world.repositoryOf({ 'v.yaml': 'a: old\n' });
  const old = values.commit({ 'v.yaml': 'a: older\n' });
  values.commit({ 'v.yaml': 'a: new\nb: new\n' });
  const rendered = await render(
    { valueFiles: ['$now/v.yaml', '$then/v.yaml'] },
    { now: referenceTo(values), then: referenceTo(values, old) },
  );
  assert.equal(rendering(rendered), 'older new ');
});

test('a commit of the referenced source renders again only if it changes what was read', async () => {
  const values = world.repositoryOf({ 'v.yaml': 'a: 1\n' });
  const references = { values: referenceTo(values) };
  const first = await render({ valueFiles: ['$values/v.yaml'] }, references);
  values.commit({ 'other.yaml': 'a: 2\n' });
  const second = await render({ valueFiles: ['$values/v.yaml'] }, references);
  assert.equal(second.digest, first.digest);
  assert.equal(second.objects, first.objects);
  values.commit({ 'v.yaml': 'a: 2\n' });
  assert.equal(rendering(await render({ valueFiles: ['$values/v.yaml'] }, references)), '2 chart ');
});

test('what a reference may not reach: other names, charts, folders above, links that lead out', async () => {
  writeFileSync(join(world.folder, 'MARKER.yaml'), 'a: marker\n');
  const values = world.repositoryOf({
    'v.yaml': 'a: 1\n',
    'out.yaml': { link: '../MARKER.yaml' },
    'absolute.yaml': { link: join(world.folder, 'MARKER.yaml') },
    'dir/up': { link: '../..' },
  });
  const references = { values: referenceTo(values), packaged: { ...referenceTo(values), chart: 'web' } };
  const cases: [name: string, message: RegExp][] = [
    [
      '$valeus/v.yaml',
      /source referenced "\$valeus", which is not one of the available sources \(\$values, \$packaged\)/,
    ],
    ['$packaged/v.yaml', /source has a 'chart' field defined/],
    ['$values/../MARKER.yaml', /outside of repository/],
    ['$values/a/../../MARKER.yaml', /outside of repository/],
    ['$values', /outside of repository/],
    ['$values/out.yaml', /out of the repository/],
    ['$values/absolute.yaml', /absolute path/],
    ['$values/dir/up/MARKER.yaml', /out of the repository/],
    ['$values/*.yaml', /out of the repository|absolute path/],
  ];
  for (const [name, message] of cases) {
    for (const helm of [{ valueFiles: [name] }, { fileParameters: [{ name: 'c', path: name }] }]) {
      if ('fileParameters' in helm && name.includes('*')) continue;
      const diagnosis = await diagnosisOf(render(helm, references));
      assert.match(diagnosis.message, message, name);
      assert.doesNotMatch(JSON.stringify(diagnosis), /a: marker/);
    }
  }
  assert.match(
    (await diagnosisOf(render({ valueFiles: ['$values/v.yaml'] }, {}))).message,
    /source referenced "\$values", but no source has a 'ref' field defined/,
  );
  assert.match(
    (await diagnosisOf(render({ valueFiles: ['$values/v.yaml'] }, undefined))).message,
    /no source has a 'ref'/,
  );
});

test('a source that others only refer to gives its commit and nothing else', async () => {
  const values = world.repositoryOf({ 'v.yaml': 'not: a manifest\n' });
  const rendered = await world.manifests.render({
    application: { name: 'shop', namespace: 'argocd', project: 'default' },
    source: { repoURL: values.path, ref: 'values' },
    repository: { url: values.path },
    destinationNamespace: 'prod',
    several: true,
    maxAge: 0,
  });
  assert.deepEqual(
    [rendered.objects, rendered.sourceType, rendered.revision],
    [[], '', values.git('rev-parse', 'HEAD')],
  );
});

test('values files and schemas at URLs: by scheme, asked again, never link-local', async () => {
  let values = 'a: remote\n';
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? 'anonymous'}`);
    if (request.url === '/values.yaml') response.end(values);
    else if (request.url === '/schema.json')
      response.end('{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const remote = { valueFiles: [`${url}/values.yaml`] };
  assert.equal(rendering(await render(remote, undefined)), 'remote chart ');
  values = 'a: changed\n';
  assert.equal(rendering(await render(remote, undefined)), 'changed chart ');
  assert.ok(asked.every((line) => line.endsWith('anonymous')));
  const httpsOnly = { valuesFileSchemes: ['https'] };
  assert.match((await diagnosisOf(render(remote, undefined, httpsOnly))).message, /scheme 'http' is not allowed/);
  assert.match((await diagnosisOf(render({ valueFiles: ['file:///etc/passwd'] }, undefined))).message, /scheme 'file'/);
  assert.match((await diagnosisOf(render({ valueFiles: [`${url}/none.yaml`] }, undefined))).message, /404 Not Found/);
  assert.match(
    (await diagnosisOf(render({ valueFiles: ['http://169.254.169.254/latest'] }, undefined))).message,
    /link-local/,
  );
  chart.commit({ 'chart/values.schema.json': JSON.stringify({ $ref: `${url}/schema.json` }) });
  assert.equal(rendering(await render({ values: 'a: text' }, undefined)), 'text chart ');
  assert.match((await diagnosisOf(render({ values: 'a: 1' }, undefined))).message, /got number, want string/);
});
