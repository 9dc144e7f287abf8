import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assembleValues, loadChart, memoryFiles } from '../index.ts';
import { valueOrigins } from './value-origins.ts';

const chart = loadChart(
  memoryFiles({
    'Chart.yaml': [
      'apiVersion: v2',
      'name: web',
      'version: 0.1.0',
      'dependencies:',
      '- {name: db, version: 0.1.0, alias: store, condition: store.enabled}',
      '- {name: cache, version: 0.1.0, import-values: [{child: out, parent: imported}]}',
      '',
    ].join('\n'),
    'values.yaml':
      'image: {repository: nginx, tag: "1"}\nports: [80, 81]\nempty: {}\ngone: yes\nglobal:\n  zone: a\nstore:\n  enabled: true\n  user: web\n',
    'charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 0.1.0\n',
    'charts/db/values.yaml': 'user: db\nsize: 5\nglobal:\n  own: x\n',
    'charts/cache/Chart.yaml': 'apiVersion: v2\nname: cache\nversion: 0.1.0\n',
    'charts/cache/values.yaml': 'size: 1\nout:\n  host: cache.local\n',
  }),
);

function origins(sources: Parameters<typeof assembleValues>[0] = {}): (path: string) => string {
  const { at } = valueOrigins(chart, assembleValues(sources));
  return (path) =>
    at(path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)))
      .map(({ source, line }) => (line > 0 ? `${source}:${line}` : source))
      .join(' ');
}

test('a value is from the last file or option that gave it, else from the chart', () => {
  const from = origins({
    files: [
      { name: 'base.yaml', text: 'image:\n  tag: a\n  pull: b\n' },
      { name: 'prod.yaml', text: '# prod\nimage:\n  tag: c\n---\nlate: 1\n' },
    ],
    set: ['replicas=3,image.arch=arm', 'ports[1]=82'],
    setString: ['replicas=4'],
    setJson: ['annotations={"a":{"b":1}}'],
    setLiteral: ['text=a,b'],
    setFile: ['file=x'],
    readFile: () => 'content',
  });
  assert.equal(from('image.tag'), 'prod.yaml:3');
  assert.equal(from('image.pull'), 'base.yaml:3');
  assert.equal(from('image.repository'), 'web/values.yaml:1');
  assert.equal(from('late'), 'prod.yaml:5');
  assert.equal(from('replicas'), '--set-string replicas=4');
  assert.equal(from('image.arch'), '--set replicas=3,image.arch=arm');
  assert.equal(from('ports.1'), '--set ports[1]=82');
  assert.equal(from('annotations.a.b'), '--set-json annotations={"a":{"b":1}}');
  assert.equal(from('text'), '--set-literal text=a,b');
  assert.equal(from('file'), '--set-file file=x');
  assert.equal(from('none'), '');
});

test('a table is from all who gave some of it, an empty one from who left it empty', () => {
  const from = origins({ files: [{ name: 'f.yaml', text: 'image: {tag: 2}\n' }] });
  assert.equal(from('image'), 'f.yaml:1 web/values.yaml:1');
  assert.equal(from('empty'), 'web/values.yaml:3');
});

test('what a null deletes is not set', () => {
  assert.equal(origins()('gone'), 'web/values.yaml:4');
  assert.equal(origins({ set: ['gone=null'] })('gone'), '');
});

test('values of subcharts are from the parent, from below, from globals or imports', () => {
  const from = origins({ set: ['global.zone=b'] });
  assert.equal(from('store.user'), 'web/values.yaml:9');
  assert.equal(from('store.size'), 'web/charts/db/values.yaml:2');
  assert.equal(from('store.global.zone'), '--set global.zone=b');
  assert.equal(from('store.global.own'), 'web/charts/db/values.yaml:4');
  assert.equal(from('imported.host'), 'web/charts/cache/values.yaml:3');
});

test('conditions are read from marked values as from plain ones', () => {
  assert.equal(origins({ set: ['store.enabled=false'] })('store.size'), '');
});
