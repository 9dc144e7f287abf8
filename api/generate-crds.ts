/**
 * Takes the facts of the peers' custom resources (names, types, required, enums, formats, columns, scope) from a checkout
 * of their sources, and writes `api/crds/*.yaml` and `api/generated/kind-names.json`. No prose is taken over.
 *
 * Run when the peers release: `node api/generate-crds.ts CHECKOUT`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isSeq, parse, visit } from 'yaml';
import { descriptions } from './kind-descriptions.ts';

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;
type Schema = { [key: string]: Json };

const here = import.meta.dirname;
const files = { application: 'applications', appproject: 'appprojects', applicationset: 'applicationsets' };

function withoutProse(node: Json, insideProperties: boolean): Json {
  if (Array.isArray(node)) return node.map((item) => withoutProse(item, false));
  if (node === null || typeof node !== 'object') return node;
  const kept: Schema = {};
  for (const [key, value] of Object.entries(node)) {
    if (!insideProperties && key === 'description' && typeof value === 'string') continue;
    kept[key] = withoutProse(value, !insideProperties && key === 'properties');
  }
  return kept;
}

function at(root: Schema, path: string): Schema | undefined {
  let node: Schema | undefined = root;
  for (const part of path.split('.').filter(Boolean)) {
    const list = part.endsWith('[]');
    node = (node?.properties as Schema | undefined)?.[list ? part.slice(0, -2) : part] as Schema | undefined;
    if (list) node = node?.items as Schema | undefined;
  }
  return node;
}

function describe(kind: string, root: Schema): void {
  for (const [path, text] of Object.entries(descriptions[kind] ?? {})) {
    const target = at(root, path);
    if (!target) throw new Error(`${kind} has no field ${path} any more: correct api/kind-descriptions.ts`);
    target.description = text;
  }
}

/** Our one extension: what went wrong, as data. Its items are `Diagnosis` of packages/foundation/diagnosis. */
function addDiagnoses(root: Schema): void {
  const status = at(root, 'status')?.properties as Schema;
  status.diagnoses = {
    type: 'array',
    items: {
      type: 'object',
      required: ['code', 'cause', 'message'],
      properties: { code: { type: 'string' }, cause: { type: 'string' }, message: { type: 'string' } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  };
}

function write(file: string, crd: Json): void {
  const document = new Document(crd, { aliasDuplicateObjects: false });
  visit(document, {
    Map(_, node) {
      if (node.items.every((pair) => !isMap(pair.value) && !isSeq(pair.value))) node.flow = true;
    },
    Seq(_, node) {
      if (node.items.every((item) => !isMap(item) && !isSeq(item))) node.flow = true;
    },
  });
  const text = document.toString({ indent: 1, lineWidth: 0, flowCollectionPadding: false });
  writeFileSync(join(here, 'crds', `${file}.yaml`), text);
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
  write(target, crd as unknown as Json);
}
const proto = readFileSync(join(checkout, 'pkg', 'apis', 'application', 'v1alpha1', 'generated.proto'), 'utf8');
writeFileSync(join(here, 'generated', 'kind-names.json'), `${JSON.stringify(kindNames(proto), null, 1)}\n`);
