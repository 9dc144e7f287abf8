import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Diagnosis, defineDiagnosis, diagnose, type Place } from '@tiphys/diagnosis';
import { isOfSurroundings } from './surroundings.ts';

const invalid = defineDiagnosis('OptionOfTestInvalid', 'An option cannot be used');
const at = (place: Place): Diagnosis => diagnose(invalid, { message: 'it cannot be used', place });
const ofSettings = at({ object: 'ConfigMap argocd-cm', field: 'kustomize.buildOptions' });

test('what is wrong in the settings waits for no commit, whatever it is', () => {
  assert.equal(isOfSurroundings([ofSettings]), true);
  assert.equal(isOfSurroundings([]), false);
});

test('what is wrong in the application, or in an object of its manifests, waits for a commit', () => {
  for (const place of [{ field: 'spec.source.kustomize.version' }, { object: 'ConfigMap shop/argocd-cm' }, {}])
    assert.equal(isOfSurroundings([ofSettings, at(place)]), false);
});
