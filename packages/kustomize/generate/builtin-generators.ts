import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { BuildContext } from '../target/build-context.ts';

export interface Generator {
  /** Kustomize's name of the plugin, such as `ConfigMapGenerator`. */
  readonly name: string;
  /** As messages show it; the name if not given. */
  readonly description?: string;
  /** Text of the origin annotation of what it makes, for generators of plugin configurations. */
  readonly originText?: string;
  generate(): Promise<ResourceMap>;
}

/** Generators of configMapGenerator, secretGenerator and helmCharts, in this order. Their arguments are checked here. */
export async function builtinGenerators(
  _loader: Loader,
  { fields }: KustomizationFile,
  _context: BuildContext,
): Promise<Generator[]> {
  for (const name of ['configMapGenerator', 'secretGenerator', 'helmCharts'] as const)
    if (fields[name]?.length) throw notYet(name);
  return [];
}
