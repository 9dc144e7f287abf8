/**
 * Takes the facts of the peers' custom resources (names, types, required, enums, formats, columns, scope) from a checkout
 * of their sources, and writes `api/crds/*.yaml` and `api/generated/kind-names.json`. No prose is taken over.
 *
 * Run when the peers release: `node api/generate-crds.ts CHECKOUT`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { addDiagnoses, at, type Json, type Schema, withoutProse, writeDefinition } from './crd-facts.ts';
import { descriptions } from './kind-descriptions.ts';

const here = import.meta.dirname;
const files = { application: 'applications', appproject: 'appprojects', applicationset: 'applicationsets' };

function describe(kind: string, root: Schema): void {
  for (const [path, text] of Object.entries(descriptions[kind] ?? {})) {
    const target = at(root, path);
    if (!target) throw new Error(`${kind} has no field ${path} any more: correct api/kind-descriptions.ts`);
    target.description = text;
  }
}

/** `Message.field` → name of the message that it holds, from the peers' protobuf. */
function kindNames(proto: string): Record<string, string> {
  const names: Record<string, string> = {};
  let message = '';
  for (const line of proto.split('\n')) {
    message = /^message (\w+)/.exec(line)?.[1] ?? message;
    const field = /^ {2}(?:optional |repeated |map<string, )?([A-Z]\w+)>? (\w+) = \d+;/.exec(line);
    if (field?.[1] && field[2]) names[`${message}.${field[2]}`] = field[1];
  }
  return names;
}

const checkout = process.argv[2];
if (!checkout) throw new Error('Give the path of a checkout of Argo CD: node api/generate-crds.ts CHECKOUT');
for (const [source, target] of Object.entries(files)) {
  const text = readFileSync(join(checkout, 'manifests', 'crds', `${source}-crd.yaml`), 'utf8');
  const crd = withoutProse(parse(text) as Json, false) as {
    spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  for (const version of crd.spec.versions) {
    const root = version.schema.openAPIV3Schema;
    if (at(root, 'status')) addDiagnoses(root);
    describe(crd.spec.names.kind, root);
  }
  writeDefinition(join(here, 'crds', `${target}.yaml`), crd as unknown as Json);
}
const proto = readFileSync(join(checkout, 'pkg', 'apis', 'application', 'v1alpha1', 'generated.proto'), 'utf8');
writeFileSync(join(here, 'generated', 'kind-names.json'), `${JSON.stringify(kindNames(proto), null, 1)}\n`);
