import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart } from '../chart/load-chart.ts';
import { HelmError } from '../problems/helm-error.ts';
import { renderChart } from '../render/render-chart.ts';
import { withRemoteSchemas } from './remote-schemas.ts';

const documents: Readonly<Record<string, string>> = {
  'https://schemas.example/a.json': '{"$defs":{"port":{"$ref":"b.json#/properties/port"}}}',
  'https://schemas.example/b.json': '{"properties":{"port":{"minimum":1024}}}',
};

function render(reference: string): { asked: string[]; result: Promise<unknown> } {
  const files: Readonly<Record<string, string>> = {
    'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
    'values.yaml': 'port: 80\n',
    'values.schema.json': JSON.stringify({ properties: { port: { $ref: reference } } }),
  };
  const chart = loadChart({
    list: () => Object.keys(files),
    read: (path) => Buffer.from(files[path] ?? ''),
  });
  const asked: string[] = [];
  const result = withRemoteSchemas(
    (remoteSchemas) =>
      renderChart({ chart, values: new Map(), release: { name: 'web', namespace: 'shop' }, remoteSchemas }),
    async (url) => {
      asked.push(url);
      const text = documents[url];
      if (text === undefined) throw new Error('nobody is there');
      return text;
    },
  );
  return { asked, result };
}

const words = async (result: Promise<unknown>): Promise<string> => {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof HelmError);
  return error.helmMessage;
};

test('schemas outside of the chart are fetched by the caller, each once, and what they refer to as well', async () => {
  const { asked, result } = render('https://schemas.example/a.json#/$defs/port');
  assert.match(await words(result), /web:\n- at '\/port': minimum: got 80, want 1,024/);
  assert.deepEqual(asked, Object.keys(documents));
});

test('a schema that can not be fetched is told with its address', async () => {
  const { result } = render('https://schemas.example/none.json');
  assert.match(await words(result), /failing loading "https:\/\/schemas.example\/none.json": .*nobody is there/);
});
