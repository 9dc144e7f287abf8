import type { BuildContext } from '../context/build-context.ts';
import { makeConfigObject, mergeOptions } from '../generate/config-object.ts';
import { atEntry, type Generator } from '../generate/generator.ts';
import { helmChartGenerators } from '../helm/helm-chart-generators.ts';
import type { GeneratorArgs } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { ResourceMap } from '../resource/resource-map.ts';

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
