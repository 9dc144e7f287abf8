/**
 * Takes the facts of Argo Workflows' custom resources from a checkout of its sources (the full definitions), and writes
 * `api/crds/*.yaml`. No prose is taken over.
 *
 * Run when the peer releases: `node api/generate-workflows-crds.ts CHECKOUT`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Json, withoutProse, writeDefinition } from './crd-facts.ts';

const kinds = [
  'workflows',
  'workflowtemplates',
  'clusterworkflowtemplates',
  'cronworkflows',
  'workfloweventbindings',
  'workflowtasksets',
  'workflowtaskresults',
  'workflowartifactgctasks',
];

const checkout = process.argv[2];
if (!checkout)
  throw new Error('Give the path of a checkout of Argo Workflows: node api/generate-workflows-crds.ts CHECKOUT');
for (const kind of kinds) {
  const text = readFileSync(join(checkout, 'manifests', 'base', 'crds', 'full', `argoproj.io_${kind}.yaml`), 'utf8');
  writeDefinition(join(import.meta.dirname, 'crds', `${kind}.yaml`), withoutProse(parse(text) as Json, false));
}
