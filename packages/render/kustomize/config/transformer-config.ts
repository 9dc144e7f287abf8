import { parseYaml, type YamlNode, YamlReader } from '@tiphys/yaml';
import { decodeJson, embedded, goString, sliceOf, struct } from '../decode/go-json.ts';
import { GoError, goMessageOf, wrapped } from '../failure/go-error.ts';
import { type Gvk, isLessThan, isSelected, sameGvk } from '../kustomization/gvk.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import { fieldSpecType } from '../kustomization/kustomization-types.ts';
import type { Loader } from '../load/loader.ts';
import type { BackReference } from './back-reference.ts';
import * as defaults from './default-field-specs.ts';

const listNames = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonAnnotations',
  'commonLabels',
  'labels',
  'templateLabels',
  'varReference',
  'images',
  'replicas',
] as const;
export type FieldSpecList = (typeof listNames)[number];

/** Which fields the built-in transformers change: Kustomize's own lists and what configurations and CRDs add. */
export type TransformerConfig = { readonly [list in FieldSpecList]: readonly FieldSpec[] } & {
  readonly nameReference: readonly BackReference[];
};

const gvkOf = (spec: { group?: string; version?: string; kind?: string }): Gvk => ({
  group: spec.group ?? '',
  version: spec.version ?? '',
  kind: spec.kind ?? '',
});

export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonAnnotations: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  varReference: [],
  images: [],
  replicas: [],
  nameReference: [],
};

const defaultConfig: TransformerConfig = sorted({
  ...emptyConfig,
  namePrefix: defaults.names,
  nameSuffix: defaults.names,
  namespace: defaults.namespaces,
  commonAnnotations: defaults.commonAnnotations,
  commonLabels: defaults.commonLabels,
  templateLabels: defaults.templateLabels,
  varReference: defaults.varReferences,
  images: defaults.images,
  replicas: defaults.replicas,
  nameReference: defaults.nameReferences,
});

function sorted(config: TransformerConfig): TransformerConfig {
  const byGvk = <T extends { group?: string; version?: string; kind?: string }>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => (isLessThan(gvkOf(a), gvkOf(b)) ? -1 : isLessThan(gvkOf(b), gvkOf(a)) ? 1 : 0));
  const result = { ...config, nameReference: byGvk(config.nameReference) };
  for (const name of listNames) result[name] = byGvk(config[name]);
  return result;
}

/** Adds specs; one that is there already may not differ in `create`. */
export function mergeFieldSpecs(list: readonly FieldSpec[], more: readonly FieldSpec[]): readonly FieldSpec[] {
  if (more.length === 0) return list;
  const result = [...list];
  for (const spec of more) {
    const same = result.find((other) => isSelected(gvkOf(other), spec) && (other.path ?? '') === (spec.path ?? ''));
    if (!same) result.push(spec);
    else if (Boolean(same.create) !== Boolean(spec.create)) {
      throw new GoError('conflicting fieldspecs', {
        evidence: { path: spec.path, kind: spec.kind },
        remedies: ['Set create of the two entries to the same value'],
      });
    }
  }
  return result;
}

const titles: Record<FieldSpecList, string> = {
  namePrefix: 'NamePrefix',
  nameSuffix: 'NameSuffix',
  namespace: 'NameSpace',
  commonAnnotations: 'CommonAnnotations',
  commonLabels: 'CommonLabels',
  labels: 'Labels',
  templateLabels: 'TemplateLabels',
  varReference: 'VarReference',
  images: 'Images',
  replicas: 'Replicas',
};

/** Both together. Throws if they contradict each other. */
export function mergeConfigs(a: TransformerConfig, b: TransformerConfig): TransformerConfig {
  const known = merges.get(a)?.get(b);
  if (known) return known;
  const merged: Record<string, readonly FieldSpec[] | readonly BackReference[]> = {};
  for (const name of listNames) {
    try {
      merged[name] = mergeFieldSpecs(a[name], b[name]);
    } catch (error) {
      throw wrapped(error, `failed to merge ${titles[name]} fieldSpec`);
    }
  }
  try {
    merged.nameReference = mergeBackReferences(a.nameReference, b.nameReference);
  } catch (error) {
    throw wrapped(error, 'failed to merge NameReference fieldSpec');
  }
  const result = sorted(merged as unknown as TransformerConfig);
  const kept = merges.get(a) ?? new WeakMap<TransformerConfig, TransformerConfig>();
  merges.set(a, kept);
  kept.set(b, isSameConfig(a, result) ? a : result);
  return kept.get(b) as TransformerConfig;
}

/** Most merges are of Kustomize's own lists with themselves. */
const merges = new WeakMap<TransformerConfig, WeakMap<TransformerConfig, TransformerConfig>>();

function isSameConfig(a: TransformerConfig, b: TransformerConfig): boolean {
  return [...listNames, 'nameReference' as const].every(
    (name) => a[name].length === b[name].length && a[name].every((item, i) => item === b[name][i]),
  );
}

function mergeBackReferences(a: readonly BackReference[], b: readonly BackReference[]): BackReference[] {
  const result = [...a];
  for (const reference of b) {
    const index = result.findIndex((other) => sameGvk(gvkOf(other), gvkOf(reference)));
    const same = result[index];
    if (!same) result.push(reference);
    else {
      const before = same.fieldSpecs ?? [];
      const fieldSpecs = mergeFieldSpecs(before, reference.fieldSpecs ?? []);
      if (fieldSpecs.length !== before.length) result[index] = { ...same, fieldSpecs: [...fieldSpecs] };
    }
  }
  return result;
}

const configType = struct('builtinconfig.TransformerConfig', {
  ...Object.fromEntries(listNames.map((name) => [name, sliceOf(fieldSpecType, 'types.FsSlice')])),
  nameReference: sliceOf(
    struct('NameBackReferences', {
      ...embedded('Gvk', { group: goString, version: goString, kind: goString }),
      fieldSpecs: sliceOf(fieldSpecType, 'types.FsSlice'),
    }),
    'builtinconfig.nbrSlice',
  ),
});

/** Kustomize's own lists with those of the files. Throws in Kustomize's words. */
export async function loadTransformerConfig(loader: Loader, paths: readonly string[]): Promise<TransformerConfig> {
  if (paths.length === 0) return defaultConfig;
  let config = emptyConfig;
  for (const path of paths) {
    const data = await loader.load(path);
    config = mergeConfigs(config, readConfig(data, loader.display(path)));
  }
  return mergeConfigs(defaultConfig, config);
}

/** Keys may stand once in the maps of a configuration. */
function refuseRepeatedKeys(data: Uint8Array, file: string): void {
  const problems: string[] = [];
  const visit = (node: YamlNode): void => {
    if (node.kind === 'sequence') for (const item of node.items) visit(item);
    if (node.kind !== 'mapping') return;
    const seen = new Set<string>();
    for (const [i, part] of node.pairs.entries()) {
      if (i % 2 === 1) visit(part);
      else if (part.kind === 'scalar') {
        if (seen.has(part.value))
          problems.push(
            `  line ${node.pairs[i + 1]?.line ?? part.line}: key ${JSON.stringify(part.value)} already set in map`,
          );
        seen.add(part.value);
      }
    }
  };
  for (const document of new YamlReader(data, { file }).documents()) {
    visit(document.root);
    break;
  }
  if (problems.length > 0) throw new GoError(`yaml: unmarshal errors:\n${problems.join('\n')}`);
}

function readConfig(data: Uint8Array, file: string): TransformerConfig {
  const place = { file };
  let value: ReturnType<typeof parseYaml>;
  try {
    value = parseYaml(data, { file });
    refuseRepeatedKeys(data, file);
  } catch (error) {
    throw new GoError(`error converting YAML to JSON: ${goMessageOf(error)}`, { place, cause: error });
  }
  try {
    const read = decodeJson<Partial<TransformerConfig> | undefined>(value, configType, {
      strict: true,
      lenientStrings: true,
    });
    return sorted({ ...emptyConfig, ...read });
  } catch (error) {
    throw wrapped(error, 'error unmarshaling JSON: while decoding JSON', { place });
  }
}
