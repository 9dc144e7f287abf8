import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Draft, emptyDraft, valueAt, withValue } from './draft.ts';
import {
  askedForParameters,
  chartValues,
  imageOverride,
  imageParts,
  pluginValue,
  withImage,
  withParameter,
  withPluginValue,
} from './parameters.ts';

const path = 'spec.source';
const place = (line: number, value: string) => ({ file: 'chart/values.yaml', line, value });
const tag = { name: 'image.tag', isText: true, value: '1.20', places: [place(3, '1.20')] };
const replicas = { name: 'replicas', isText: false, value: '2', places: [place(1, '2')] };
const team = { name: 'labels.a.b/team', set: 'labels.a\\.b/team', isText: true, value: 'x', places: [place(5, 'x')] };

test('chartValues() says who gives each value: a file, inline values over it, parameters over both', () => {
  const known = [tag, replicas, team];
  let draft = withValue(emptyDraft, `${path}.helm.values`, 'replicas: 5\nimage:\n  tag: "1.21"\n');
  draft = withParameter(draft, path, replicas, '7');
  draft = withParameter(draft, path, team, 'y');
  draft = withParameter(draft, path, { name: 'unknown', isText: false, value: '', places: [] }, 'z');
  const told = () =>
    chartValues(draft, path, known).map(({ parameter, value, origin }) => [parameter.name, value, origin]);
  assert.deepEqual(told(), [
    ['unknown', 'z', 'parameter'],
    ['image.tag', '1.21', 'values'],
    ['replicas', '7', 'parameter'],
    ['labels.a.b/team', 'y', 'parameter'],
  ]);
  draft = withValue(draft, `${path}.helm.values`, 'not: [yaml');
  assert.deepEqual(told()[1], ['image.tag', '1.20', place(3, '1.20')]);
  draft = withValue(draft, `${path}.helm.valuesObject`, { image: { tag: '1.22' } });
  assert.deepEqual(told()[1], ['image.tag', '1.22', 'values']);
});

test('withParameter() keeps texts that look like numbers, sets keys with dots as helm reads them, and leaves nothing behind', () => {
  const draft = withParameter(withParameter(emptyDraft, path, tag, '1.30'), path, team, 'pay');
  assert.deepEqual(valueAt(draft, `${path}.helm.parameters`), [
    { name: 'image.tag', value: '1.30', forceString: true },
    { name: 'labels.a\\.b/team', value: 'pay' },
  ]);
  assert.deepEqual(valueAt(withParameter(draft, path, tag, 'v1'), `${path}.helm.parameters.0`), {
    name: 'image.tag',
    value: 'v1',
  });
  assert.deepEqual(withParameter(withParameter(draft, path, tag, undefined), path, team, undefined), emptyDraft);
});

test('images are told by name and version, and overridden by kustomize.images', () => {
  assert.deepEqual(imageParts('localhost:5000/a/b'), { name: 'localhost:5000/a/b', version: '' });
  assert.deepEqual(imageParts('localhost:5000/a/b:1'), { name: 'localhost:5000/a/b', version: ':1' });
  assert.deepEqual(imageParts('a@sha256:1f'), { name: 'a', version: '@sha256:1f' });
  const renamed = withValue(emptyDraft, `${path}.kustomize.images`, ['web=reg/web:1']);
  assert.equal(imageOverride(renamed, path, 'reg/web:1'), 'web=reg/web:1');
  assert.equal(imageOverride(renamed, path, 'web:1'), undefined);
  const images = (draft: Draft) => valueAt(draft, `${path}.kustomize.images`);
  assert.deepEqual(images(withImage(renamed, path, 'reg/web:1', '2')), ['web=reg/web:2']);
  assert.deepEqual(images(withImage(renamed, path, 'nginx:1', '@sha256:1f')), ['web=reg/web:1', 'nginx@sha256:1f']);
  assert.deepEqual(withImage(renamed, path, 'reg/web:1', ''), emptyDraft);
});

test('parameters of a plugin are texts, lists and maps', () => {
  let draft = withPluginValue(emptyDraft, path, { name: 'size', shape: 'string' }, 'XL');
  draft = withPluginValue(draft, path, { name: 'files', shape: 'array' }, 'a\nb');
  draft = withPluginValue(draft, path, { name: 'env', shape: 'map' }, 'A=1\nB=c=d');
  assert.deepEqual(valueAt(draft, `${path}.plugin.parameters`), [
    { name: 'size', string: 'XL' },
    { name: 'files', array: ['a', 'b'] },
    { name: 'env', map: { A: '1', B: 'c=d' } },
  ]);
  assert.deepEqual(
    ['size', 'files', 'env', 'none'].map((name) => pluginValue(draft, path, name)),
    ['XL', 'a\nb', 'A=1\nB=c=d', undefined],
  );
  for (const name of ['size', 'files', 'env'])
    draft = withPluginValue(draft, path, { name, shape: 'string' }, undefined);
  assert.deepEqual(draft, emptyDraft);
});

test('what is asked of the server does not change with the values that are set', () => {
  const one = withValue(emptyDraft, `${path}.helm.valueFiles`, ['prod.yaml']);
  const set = withParameter(withValue(one, `${path}.helm.values`, 'a: 1'), path, tag, '2');
  assert.deepEqual(askedForParameters(set), askedForParameters(one));
  assert.deepEqual(valueAt(askedForParameters(one), `${path}.helm.valueFiles`), ['prod.yaml']);
});
