import type { Generator } from '../generate/builtin-generators.ts';
import type { HelmChart, HelmGlobals } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { notYet } from '../not-yet.ts';
import type { Stamp } from '../resource/resource.ts';
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

interface ChartContext {
  readonly loader: Loader;
  readonly context: BuildContext;
  readonly stamp: Stamp;
}

/** The generator of one chart. */
export async function helmChartGenerator(
  _chart: HelmChart,
  _globals: HelmGlobals,
  _context: ChartContext,
): Promise<Generator> {
  throw notYet('helmCharts');
}
