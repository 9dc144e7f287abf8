import { goMessageOf, reworded } from '../failure/go-error.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { ResourceMap } from '../resource/resource-map.ts';

/** Makes resources for a kustomization. */
export interface Generator {
  /** Kustomize's name of the plugin, such as `ConfigMapGenerator`. */
  readonly name: string;
  /** As messages show it; the name if not given. */
  readonly description?: string;
  /** Text of the origin annotation of what it makes, for generators of plugin configurations. */
  readonly originText?: string;
  generate(): Promise<ResourceMap>;
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
