import type { Generator } from '../generate/builtin-generators.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { BuildContext } from '../target/build-context.ts';
import type { Transformer } from '../transform/transformer.ts';

/** Generators from plugin configurations: built-in kinds; functions and programs are refused. */
export async function externalGenerators(
  _loader: Loader,
  configs: ResourceMap,
  _context: BuildContext,
): Promise<Generator[]> {
  if (configs.size > 0) throw notYet('generators');
  return [];
}

/** Transformers (and validators) from plugin configurations. */
export async function externalTransformers(
  _loader: Loader,
  configs: ResourceMap,
  _context: BuildContext,
): Promise<Transformer[]> {
  if (configs.size > 0) throw notYet('transformers');
  return [];
}
