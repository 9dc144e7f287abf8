import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf } from './protobuf.ts';

/** What client-go sends: fields of structs that JSON inlines are messages of their own. */
const field = (number: number, ...parts: (string | Buffer)[]) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};
const sent = (apiVersion: string, kind: string, object: Buffer) =>
  Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, apiVersion), field(2, kind)), field(2, object)]);

test('inlined structs of a Pod are read: volumes, probes, references', () => {
  const volume = field(1, field(1, 'data'), field(2, field(2)));
  const probe = field(10, field(1, field(2, field(1, '/ready'))), Buffer.from([2 << 3, 5]));
  const variable = field(7, field(1, 'A'), field(3, field(4, field(1, field(1, 'secret')), field(2, 'key'))));
  const container = field(2, field(1, 'main'), variable, probe);
  const pod = decodeProtobuf(sent('v1', 'Pod', field(2, volume, container)));
  assert.deepEqual(pod.spec, {
    volumes: [{ name: 'data', emptyDir: {} }],
    containers: [
      {
        name: 'main',
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } }],
        livenessProbe: { httpGet: { path: '/ready' }, initialDelaySeconds: 5 },
      },
    ],
  });
});

test('inlined structs of an Ingress are read', () => {
  const path = field(1, field(1, '/'), field(3, 'Prefix'));
  const rule = field(3, field(1, 'example.com'), field(2, field(1, path)));
  const { spec } = decodeProtobuf(sent('networking.k8s.io/v1', 'Ingress', field(2, rule)));
  assert.deepEqual(spec, { rules: [{ host: 'example.com', http: { paths: [{ path: '/', pathType: 'Prefix' }] } }] });
});
