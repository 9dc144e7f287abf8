import { goMessageOf, reworded } from '../go-error.ts';
import { helmChartGenerators } from '../helm/helm-chart-generators.ts';
import type { GeneratorArgs } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import type { BuildContext } from '../target/build-context.ts';
import { makeConfigObject, mergeOptions } from './config-object.ts';

export interface Generator {
  /** Kustomize's name of the plugin, such as `ConfigMapGenerator`. */
  readonly name: string;
  /** As messages show it; the name if not given. */
  readonly description?: string;
  /** Text of the origin annotation of what it makes, for generators of plugin configurations. */
  readonly originText?: string;
  generate(): Promise<ResourceMap>;
}

/** Generators of configMapGenerator, secretGenerator and helmCharts, in this order. */
export async function builtinGenerators(
  loader: Loader,
  file: KustomizationFile,
  context: BuildContext,
): Promise<Generator[]> {
  const { configMapGenerator = [], secretGenerator = [], generatorOptions } = file.fields;
  const make = (kind: 'ConfigMap' | 'Secret', field: string, list: readonly GeneratorArgs[]): Generator[] =>
    list.map((args, i) => ({
      name: `${kind}Generator`,
      generate: () =>
        atEntry(file, field, i, async (line) => {
          const stamp = { origin: { file: file.file, entry: `${field}[${i}]` }, line };
          const options = mergeOptions(args.options, generatorOptions);
          return new ResourceMap([
            await makeConfigObject(kind, options ? { ...args, options } : args, {
              loader,
              scopes: context.scopes,
              stamp,
            }),
          ]);
        }),
    }));
  return [
    ...make('ConfigMap', 'configMapGenerator', configMapGenerator),
    ...make('Secret', 'secretGenerator', secretGenerator),
    ...(await helmChartGenerators(loader, file, context)),
  ];
}

/** Names the entry in what fails inside. */
export async function atEntry<T>(
  file: KustomizationFile,
  field: string,
  index: number,
  body: (line: number) => Promise<T>,
): Promise<T> {
  const line = file.lineOf([field, index]);
  try {
    return await body(line);
  } catch (error) {
    throw reworded(error, goMessageOf(error), { place: { file: file.file, line, field: `${field}[${index}]` } });
  }
}
