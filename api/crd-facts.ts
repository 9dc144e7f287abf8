/** How the facts of a peer's custom resources are taken over: names, types, enums, formats, columns, scope; no prose. */
import { writeFileSync } from 'node:fs';
import { Document, isMap, isSeq, visit } from 'yaml';

export type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;
export type Schema = { [key: string]: Json };

/** The document without the descriptions of fields. */
export function withoutProse(node: Json, insideProperties: boolean): Json {
  if (Array.isArray(node)) return node.map((item) => withoutProse(item, false));
  if (node === null || typeof node !== 'object') return node;
  const kept: Schema = {};
  for (const [key, value] of Object.entries(node)) {
    if (!insideProperties && key === 'description' && typeof value === 'string') continue;
    kept[key] = withoutProse(value, !insideProperties && key === 'properties');
  }
  return kept;
}

/** The schema of a field by its path, such as `status.items[].name`. */
export function at(root: Schema, path: string): Schema | undefined {
  let node: Schema | undefined = root;
  for (const part of path.split('.').filter(Boolean)) {
    const list = part.endsWith('[]');
    node = (node?.properties as Schema | undefined)?.[list ? part.slice(0, -2) : part] as Schema | undefined;
    if (list) node = node?.items as Schema | undefined;
  }
  return node;
}

/** Our one extension: what went wrong, as data. Its items are `Diagnosis` of packages/foundation/diagnosis. */
export function addDiagnoses(root: Schema): void {
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

/** Writes a definition with one line for each leaf. */
export function writeDefinition(path: string, crd: Json): void {
  const document = new Document(crd, { aliasDuplicateObjects: false });
  visit(document, {
    Map(_, node) {
      if (node.items.every((pair) => !isMap(pair.value) && !isSeq(pair.value))) node.flow = true;
    },
    Seq(_, node) {
      if (node.items.every((item) => !isMap(item) && !isSeq(item))) node.flow = true;
    },
  });
  writeFileSync(path, document.toString({ indent: 1, lineWidth: 0, flowCollectionPadding: false }));
}
