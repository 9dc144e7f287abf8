import type { LoaderContext } from '../load/loader.ts';
import type { Scopes } from '../resource/cluster-scope.ts';

/** What charts learn about the cluster; an entry's own kubeVersion and apiVersions come first. */
export interface HelmFacts {
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
}

/** Which plugins may run. */
export interface PluginOptions {
  readonly facts: HelmFacts;
  /** Charts of helmCharts; they are rendered by our own renderer, no program is run. */
  readonly helm: boolean;
}

/** What all kustomizations of a build share. */
export interface BuildContext {
  readonly loader: LoaderContext;
  readonly scopes: Scopes;
  readonly plugins: PluginOptions;
  /** Takes a line that Kustomize writes to standard error. */
  readonly warn: (line: string) => void;
}
