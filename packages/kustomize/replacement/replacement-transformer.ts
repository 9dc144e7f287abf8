import type { ReplacementEntry } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { Transformer } from '../transform/transformer.ts';

/** Copies values from fields to fields. Files of `path` are read here. */
export async function replacementTransformer(
  _loader: Loader,
  _kustomization: KustomizationFile,
  _replacements: readonly ReplacementEntry[],
): Promise<Transformer> {
  throw notYet('replacements');
}
