import type { Experiment, Rollout } from '@tiphys/api';
import type { Announcement, Pass } from '@tiphys/controller';
import type { Cluster } from '../cluster/cluster.ts';

export interface ExperimentsContext {
  readonly cluster: Cluster;
  readonly tell: (object: Experiment | Rollout, announcement: Announcement) => void;
}

export type ExperimentPass = Pass<Experiment, ExperimentsContext, Record<string, never>>;
