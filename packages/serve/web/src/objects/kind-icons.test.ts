import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindIcon, kindLetters, kindStrokes } from './kind-icons.ts';

test('kinds are told apart by their group where their name alone could be that of another', () => {
  assert.equal(kindIcon('', 'Service'), 'service');
  assert.equal(kindIcon('serving.knative.dev', 'Service'), undefined);
  assert.equal(kindIcon('argoproj.io', 'Workflow'), 'flow');
  assert.equal(kindIcon('app.k8s.io', 'Application'), undefined);
  assert.equal(kindIcon(undefined, 'Pod'), 'pod');
  assert.equal(kindIcon('', 'constructor'), undefined);
});

test('a kind without an icon is drawn with its first capitals', () => {
  assert.equal(kindLetters('KafkaTopic'), 'KT');
  assert.equal(kindLetters('Widget'), 'W');
  assert.equal(kindLetters('widget'), 'W');
  assert.equal(kindLetters('MyOwnThing'), 'MO');
  assert.equal(kindLetters(''), '?');
});

test('each icon is a path of few strokes within its box', () => {
  for (const [name, path] of Object.entries(kindStrokes)) assert.match(path, /^M[-\d. MLHVACSZmlhvacsz]{5,240}$/, name);
});
