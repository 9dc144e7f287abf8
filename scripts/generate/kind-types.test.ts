import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../architecture.ts';
import { kindTypes } from './kind-types.ts';

test('the types of the built-in kinds are those of the recorded OpenAPI', () => {
  for (const [path, text] of kindTypes())
    assert.ok(readFileSync(join(root, path), 'utf8') === text, `${path} is not what npm run generate writes`);
});

test('fields have the form that JSON gives them', () => {
  const text = kindTypes().get('packages/foundation/kubernetes/generated/core-v1.ts') ?? '';
  assert.match(text, /export interface ServicePort \{[^}]*targetPort\?: number \| string;/);
  assert.match(text, /export interface ResourceRequirements \{[^}]*limits\?: Record<string, string>;/);
  assert.match(text, /export interface PodSpec \{[^}]*tolerations\?: Toleration\[\];/);
  assert.match(text, /export interface Pod \{[^}]*metadata\?: metaV1\.ObjectMeta;/);
});
