import type { Diagnosis } from '@tiphys/diagnosis';
import type { RenderedChart, RenderRequest } from '@tiphys/helm';
import type { LoaderContext } from '../load/loader.ts';
import type { Programs } from '../program/programs.ts';
import type { Scopes } from '../resource/cluster-scope.ts';

/** What charts learn about the cluster; an entry's own kubeVersion and apiVersions come first. */
export interface HelmFacts {
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  /** Archive of a chart that is not in the tree; such charts are refused without. */
  readonly pull?: (chart: ChartSource) => Promise<Uint8Array>;
  /** Renders a chart: with recorded values or lookups. Plain rendering if not given. */
  readonly render?: (request: RenderRequest) => RenderedChart;
}

/** A chart of a repository. */
export interface ChartSource {
  readonly repo: string;
  readonly name: string;
  /** Empty for the newest. */
  readonly version: string;
  readonly devel: boolean;
  /** Folder of helm's own configuration, if the kustomization names one. */
  readonly configHome?: string;
}

/** Which plugins may run. */
export interface PluginOptions {
  readonly facts: HelmFacts;
  /** Charts of helmCharts; they are rendered by our own renderer, no program is run. */
  readonly helm: boolean;
  /** Functions and programs; they are refused without. */
  readonly programs?: Programs;
}

/** What all kustomizations of a build share. */
export interface BuildContext {
  readonly loader: LoaderContext;
  readonly scopes: Scopes;
  readonly plugins: PluginOptions;
  /** Namespace of the overlays, for charts of bases that set none. */
  readonly helmNamespace?: string;
  /** Takes a line that Kustomize writes to standard error. */
  readonly warn: (line: string) => void;
  /** Takes what Kustomize says nothing of, and its users would want to know. */
  readonly notice: (notice: Diagnosis) => void;
}
