import type { Generator } from '../generate/builtin-generators.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { BuildContext } from '../target/build-context.ts';

/** Generators of helmCharts. */
export async function helmChartGenerators(
  _loader: Loader,
  { fields }: KustomizationFile,
  _context: BuildContext,
): Promise<Generator[]> {
  if (fields.helmCharts?.length) throw notYet('helmCharts');
  return [];
}
