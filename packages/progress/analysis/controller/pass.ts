import type { Pass } from '@tiphys/controller';
import type { Client } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { AnalysisRun } from '../model/types.ts';
import type { JobView, ProviderContext } from '../providers/provider.ts';

/** What passes over AnalysisRuns need. */
export interface AnalysisContext {
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly plugins: PluginHost;
  readonly jobs: JobView;
  /** What is measured instead of asking any provider: for simulations. */
  readonly answers?: ProviderContext['answers'];
}

export type AnalysisPass = Pass<AnalysisRun, AnalysisContext, undefined>;
