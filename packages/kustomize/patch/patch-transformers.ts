import type { Patch } from '../kustomization/kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { Scopes } from '../resource/cluster-scope.ts';
import type { Stamp } from '../resource/resource.ts';
import type { Transformer } from '../transform/transformer.ts';

export interface PatchContext {
  readonly loader: Loader;
  readonly scopes: Scopes;
  /** Of the entry; a patch file's nodes keep their own file and line, with this as their entry. */
  readonly stamp: Stamp;
}

/** One entry of `patches`. */
export async function patchTransformer(_patch: Patch, _context: PatchContext): Promise<Transformer> {
  throw notYet('patches');
}

/** All of `patchesStrategicMerge`. */
export async function strategicMergeTransformer(
  _paths: readonly string[],
  _context: PatchContext,
): Promise<Transformer> {
  throw notYet('patchesStrategicMerge');
}

/** One entry of `patchesJson6902`. */
export async function jsonPatchTransformer(_patch: Patch, _context: PatchContext): Promise<Transformer> {
  throw notYet('patchesJson6902');
}
