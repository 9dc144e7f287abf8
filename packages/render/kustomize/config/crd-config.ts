import { type JsonValue, parseYaml } from '@tiphys/yaml';
import { GoError, goMessageOf, wrapped } from '../failure/go-error.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { Loader } from '../load/loader.ts';
import type { BackReference } from './back-reference.ts';
import { emptyConfig, mergeConfigs, type TransformerConfig } from './transformer-config.ts';

type JsonMap = { [key: string]: JsonValue };

const isMap = (value: JsonValue | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the OpenAPI definitions in `crds` say about names, labels and annotations of their kinds. */
export async function loadCrdConfig(loader: Loader, paths: readonly string[]): Promise<TransformerConfig> {
  let config = emptyConfig;
  for (const path of paths) {
    const data = await loader.load(path);
    const file = loader.display(path);
    let value: JsonValue;
    try {
      const text = Buffer.from(data).toString('utf8');
      value = text.startsWith('{') ? JSON.parse(text) : parseYaml(data, { file });
    } catch (error) {
      throw wrapped(
        new Error(`error converting YAML to JSON: ${goMessageOf(error)}`),
        `unable to parse open API definition from '${path}'`,
        { place: { file } },
      );
    }
    refuseOthers(value, path, file);
    config = mergeConfigs(config, configOf(isMap(value) ? value : {}));
  }
  return config;
}

/** The files are OpenAPI definitions, not the CRDs themselves, which many name here. */
function refuseOthers(value: JsonValue, path: string, file: string): void {
  const wrong = isMap(value)
    ? Object.keys(value)
        .sort()
        .map((key) => value[key])
        .find((item) => item !== null && !isMap(item))
    : value;
  if (wrong === undefined || wrong === null) return;
  const found =
    typeof wrong === 'string'
      ? 'string'
      : typeof wrong === 'boolean'
        ? 'bool'
        : typeof wrong === 'number'
          ? 'number'
          : 'array';
  const into = isMap(value) ? 'accumulator.OpenAPIDefinition' : 'accumulator.nameToApiMap';
  throw wrapped(
    new GoError(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type ${into}`,
    ),
    `unable to parse open API definition from '${path}'`,
    {
      place: { file },
      remedies: ['Name files with OpenAPI definitions in crds; the CRDs themselves belong in resources'],
    },
  );
}

function configOf(definitions: JsonMap): TransformerConfig {
  let config = emptyConfig;
  for (const name of Object.keys(definitions).sort()) {
    const properties = propertiesOf(definitions, name);
    if (!properties || !['kind', 'apiVersion', 'metadata'].every((key) => Object.hasOwn(properties, key))) continue;
    const kind = name.slice(name.lastIndexOf('.') + 1);
    const found = {
      annotations: [] as FieldSpec[],
      labels: [] as FieldSpec[],
      names: [] as FieldSpec[],
      references: [] as BackReference[],
    };
    collect(definitions, name, kind, [], found, 0);
    for (const reference of found.references)
      config = mergeConfigs(config, { ...emptyConfig, nameReference: [reference] });
    config = mergeConfigs(config, {
      ...emptyConfig,
      commonAnnotations: found.annotations,
      commonLabels: found.labels,
      namePrefix: found.names,
    });
  }
  return config;
}

function propertiesOf(definitions: JsonMap, name: string): JsonMap | undefined {
  const definition = definitions[name];
  const schema = isMap(definition) ? (definition.Schema ?? definition.schema) : undefined;
  const properties = isMap(schema) ? schema.properties : undefined;
  return isMap(properties) ? properties : undefined;
}

interface Found {
  annotations: FieldSpec[];
  labels: FieldSpec[];
  names: FieldSpec[];
  references: BackReference[];
}

const maxDepth = 50;

function collect(
  definitions: JsonMap,
  name: string,
  kind: string,
  path: readonly string[],
  found: Found,
  depth: number,
): void {
  const properties = propertiesOf(definitions, name);
  if (!properties || depth > maxDepth) return;
  for (const key of Object.keys(properties).sort()) {
    const property = properties[key];
    if (!isMap(property)) continue;
    const at = [...path, key];
    const spec = (...more: string[]): FieldSpec => ({ kind, path: [...at, ...more].join('/'), create: false });
    const text = (extension: string): string | undefined => {
      const value = property[extension];
      return typeof value === 'string' ? value : undefined;
    };
    if (text('x-kubernetes-annotation') !== undefined) found.annotations.push(spec());
    if (text('x-kubernetes-label-selector') !== undefined) found.labels.push(spec());
    if (text('x-kubernetes-identity') !== undefined) found.names.push(spec());
    const version = text('x-kubernetes-object-ref-api-version');
    const target = text('x-kubernetes-object-ref-kind');
    if (version !== undefined && target !== undefined) {
      found.references.push({
        kind: target,
        version,
        fieldSpecs: [spec(text('x-kubernetes-object-ref-name-key') ?? 'name')],
      });
    }
    const reference = property.$ref;
    if (typeof reference === 'string') collect(definitions, reference, kind, at, found, depth + 1);
  }
}
