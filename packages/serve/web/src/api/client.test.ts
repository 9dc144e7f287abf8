import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnosesOf } from './client.ts';

test('diagnosesOf() takes what a refusal says of its cause, and nothing of other answers', () => {
  const value = { code: 'RevisionNotFound', cause: 'R9', message: 'm', remedies: [{ text: 'Name another' }] };
  const details = [{ '@type': 'type.googleapis.com/google.protobuf.Struct', value }, { '@type': 'other' }];
  assert.deepEqual(diagnosesOf(JSON.stringify({ code: 3, message: 'm', details })), [value]);
  for (const text of ['', 'Not Found', '{', '{"message":"m"}', '[]']) assert.deepEqual(diagnosesOf(text), []);
});
