import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { root } from '../architecture.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

const folder = 'packages/foundation/kubernetes';
const recorded = `${folder}/schema/data/openapi-v2.json.br`;

/** Groups and versions whose types are written, by the name of the file. */
const versions: ReadonlyMap<string, string> = new Map([
  ['io.k8s.api.admissionregistration.v1', 'admissionregistration-v1'],
  ['io.k8s.api.apps.v1', 'apps-v1'],
  ['io.k8s.api.autoscaling.v1', 'autoscaling-v1'],
  ['io.k8s.api.autoscaling.v2', 'autoscaling-v2'],
  ['io.k8s.api.batch.v1', 'batch-v1'],
  ['io.k8s.api.certificates.v1', 'certificates-v1'],
  ['io.k8s.api.coordination.v1', 'coordination-v1'],
  ['io.k8s.api.core.v1', 'core-v1'],
  ['io.k8s.api.discovery.v1', 'discovery-v1'],
  ['io.k8s.api.flowcontrol.v1', 'flowcontrol-v1'],
  ['io.k8s.api.networking.v1', 'networking-v1'],
  ['io.k8s.api.node.v1', 'node-v1'],
  ['io.k8s.api.policy.v1', 'policy-v1'],
  ['io.k8s.api.rbac.v1', 'rbac-v1'],
  ['io.k8s.api.resource.v1', 'resource-v1'],
  ['io.k8s.api.scheduling.v1', 'scheduling-v1'],
  ['io.k8s.api.storage.v1', 'storage-v1'],
  ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1', 'apiextensions-v1'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1', 'meta-v1'],
  ['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1', 'apiregistration-v1'],
]);

/** Definitions that JSON writes in another form than an object. */
const scalars: ReadonlyMap<string, string> = new Map([
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'number | string'],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 'string'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'string'],
]);

/** Definitions that have a type of the package already, by file: the generated file exports that one. */
const existing: ReadonlyMap<string, string> = new Map([
  ['io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', 'LabelSelector'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement', 'SelectorRequirement as LabelSelectorRequirement'],
]);

const typeName = (file: string) => file.replace(/-v(\d)/, 'V$1');

/** Types of the built-in kinds in their wire form, made of the recorded OpenAPI: path relative to the root → text. */
export function kindTypes(): Map<string, string> {
  const { definitions } = JSON.parse(brotliDecompressSync(readFileSync(join(root, recorded))).toString()) as {
    definitions: Readonly<Record<string, Schema>>;
  };
  const written = new Map<string, string>();
  for (const [prefix, file] of versions) {
    const needed = new Set<string>();
    const own = Object.entries(definitions).filter(([name]) => homeOf(name)?.prefix === prefix && !scalars.has(name));
    const known = own.flatMap(([name]) => existing.get(name) ?? []);
    const bodies = own
      .filter(([name]) => !existing.has(name))
      .map(([name, schema]) => definition(homeOf(name)?.name ?? '', schema, prefix, needed));
    const imports = [
      ...[...needed].sort().map((other) => `import type * as ${typeName(other)} from './${other}.ts';\n`),
      ...(known.length > 0 ? [`export type { ${known.join(', ')} } from '../object/label-selector.ts';\n`] : []),
    ];
    written.set(
      `${folder}/generated/${file}.ts`,
      `/** Made of the recorded OpenAPI by \`npm run generate\`: ${prefix} as JSON has it. */\n\n${imports.join('')}${imports.length > 0 ? '\n' : ''}${bodies.join('\n')}`,
    );
  }
  const exports = [...versions.values()]
    .sort()
    .map((file) => `export type * as ${typeName(file)} from './${file}.ts';\n`);
  return written.set(`${folder}/generated/index.ts`, exports.join(''));
}

function homeOf(definitionName: string): { prefix: string; name: string } | undefined {
  const at = definitionName.lastIndexOf('.');
  const prefix = definitionName.slice(0, at);
  return versions.has(prefix) ? { prefix, name: definitionName.slice(at + 1) } : undefined;
}

function definition(name: string, schema: Schema, prefix: string, needed: Set<string>): string {
  if (!schema.properties) return `export type ${name} = ${typeOf({ ...schema }, prefix, needed)};\n`;
  const fields = Object.entries(schema.properties).map(
    ([field, value]) => `  ${/^[A-Za-z]\w*$/.test(field) ? field : `'${field}'`}?: ${typeOf(value, prefix, needed)};\n`,
  );
  return `export interface ${name} {\n${fields.join('')}}\n`;
}

function typeOf(schema: Schema, prefix: string, needed: Set<string>): string {
  if (schema.$ref) return reference(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1), prefix, needed);
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items ?? {}, prefix, needed);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      const { additionalProperties: values } = schema;
      return `Record<string, ${typeof values === 'object' ? typeOf(values, prefix, needed) : 'unknown'}>`;
    }
    default:
      // a schema, any JSON, or one of several forms
      return 'unknown';
  }
}

function reference(target: string, prefix: string, needed: Set<string>): string {
  const scalar = scalars.get(target);
  if (scalar) return scalar;
  const home = homeOf(target);
  if (!home) return 'unknown';
  if (home.prefix === prefix) return home.name;
  const file = versions.get(home.prefix) ?? '';
  needed.add(file);
  return `${typeName(file)}.${home.name}`;
}

export function writeKindTypes(): void {
  mkdirSync(join(root, folder, 'generated'), { recursive: true });
  for (const [path, text] of kindTypes()) writeFileSync(join(root, path), text);
}
