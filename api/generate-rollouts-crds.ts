/**
 * Takes the facts of Argo Rollouts' custom resources from a checkout of its sources, and writes `api/crds/*.yaml`.
 * The schemas are upstream's but for `status.diagnoses` of Rollout, Experiment and AnalysisRun. No prose is taken over.
 *
 * Run when the peer releases: `node api/generate-rollouts-crds.ts CHECKOUT`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { addDiagnoses, type Json, type Schema, withoutProse, writeDefinition } from './crd-facts.ts';

const files = {
  rollout: 'rollouts',
  'analysis-run': 'analysisruns',
  'analysis-template': 'analysistemplates',
  'cluster-analysis-template': 'clusteranalysistemplates',
  experiment: 'experiments',
};

const checkout = process.argv[2];
if (!checkout)
  throw new Error('Give the path of a checkout of Argo Rollouts: node api/generate-rollouts-crds.ts CHECKOUT');
for (const [source, target] of Object.entries(files)) {
  const text = readFileSync(join(checkout, 'manifests', 'crds', `${source}-crd.yaml`), 'utf8');
  const crd = withoutProse(parse(text) as Json, false) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  if (['rollout', 'experiment', 'analysis-run'].includes(source))
    for (const { schema } of crd.spec.versions) addDiagnoses(schema.openAPIV3Schema);
  writeDefinition(join(import.meta.dirname, 'crds', `${target}.yaml`), crd as unknown as Json);
}
