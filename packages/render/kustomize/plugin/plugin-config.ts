import type { BuildContext } from '../context/build-context.ts';
import { type DecodeOptions, decodeJson, type GoType } from '../decode/go-json.ts';
import { goMessageOf, reworded } from '../failure/go-error.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import { toValue } from '../tree/to-value.ts';

/** The configuration of a built-in plugin, as an object of its own. */
export interface PluginConfig {
  readonly resource: Resource;
  readonly loader: Loader;
  readonly context: BuildContext;
  /** The kustomization that names the configuration. */
  readonly kustomization: KustomizationFile;
  readonly stamp: Stamp;
}

const lenient: DecodeOptions = { strict: false, lenientStrings: true };

/** The fields of a configuration; those that are not known are left out. */
export function readPluginConfig<T>(config: PluginConfig, type: GoType): T {
  try {
    return decodeJson<T>(toValue(config.resource.node), type, lenient);
  } catch (error) {
    throw reworded(error, `error unmarshaling JSON: while decoding JSON: ${goMessageOf(error)}`);
  }
}
