import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { customResourceDefinitions } from './kinds.ts';

test('each CustomResourceDefinition reads the same by YAML 1.1, which kubectl uses, and 1.2', () => {
  for (const { file, text } of customResourceDefinitions()) {
    assert.deepEqual(parse(text, { version: '1.1' }), parse(text), file);
  }
});

test('the kinds keep the names, columns and subresources of the peers and carry status.diagnoses', () => {
  const crds = customResourceDefinitions().map(({ text }) => parse(text));
  assert.deepEqual(
    crds.map((crd) => [crd.metadata.name, crd.spec.names.shortNames]),
    [
      ['applications.argoproj.io', ['app', 'apps']],
      ['appprojects.argoproj.io', ['appproj', 'appprojs']],
      ['applicationsets.argoproj.io', ['appset', 'appsets']],
    ],
  );
  const [application] = crds;
  const version = application.spec.versions[0];
  assert.deepEqual(
    version.additionalPrinterColumns.map((column: { name: string }) => column.name),
    ['Sync Status', 'Health Status', 'Revision', 'Project'],
  );
  assert.equal(version.subresources.status, undefined);
  assert.equal(version.schema.openAPIV3Schema.properties.status.properties.diagnoses.type, 'array');
});

test('the generated types are those of the CRDs', () => {
  const file = join(import.meta.dirname, 'generated', 'kinds.ts');
  const before = readFileSync(file, 'utf8');
  execFileSync(process.execPath, [join(import.meta.dirname, 'generate-kinds.ts')]);
  assert.equal(readFileSync(file, 'utf8'), before);
});
