import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { Catalogue } from '../catalog/catalogue.ts';
import type { RepositoryQuestions } from '../variables/repository-facts.ts';

/** A kind whose objects people are told of: Applications, Rollouts … */
export interface NotifiedKind {
  /** Of controllers, leases and records: `applications`. */
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** How templates and triggers call the object: `app`. */
  readonly variable: string;
  /**
   * Other kinds whose triggers stand in the same ConfigMap: the names of their variables. A trigger is asked about the kinds that it, or
   * what it sends, speaks of; one that speaks of none is asked about the first kind, and wherever an object itself names it.
   */
  readonly shares?: { readonly variables: readonly string[]; readonly isFirst: boolean };
  readonly configMapName: string;
  readonly secretName: string;
  /** Of the annotations that subscribe: `notifications.argoproj.io`. */
  readonly prefix: string;
  /** Of the measures: `argocd` for `argocd_notifications_deliveries_total`. */
  readonly metricsPrefix: string;
  /** `source.component` of Events. */
  readonly component: string;
  /** Triggers and templates for what the ConfigMap does not have itself. */
  readonly catalogue: Catalogue;
  /** Whether ConfigMaps and Secrets of an object's own namespace count too. */
  readonly selfService: boolean;
  /** Why an object is left alone for now; undefined to look at it. */
  skips(object: KubeObject): string | undefined;
  /** What the object belongs to, whose annotations subscribe too: the project of an Application. */
  parent?(object: KubeObject): KubeObject | undefined;
  readonly questions?: RepositoryQuestions | undefined;
  /** Whether Events of an object ask the trigger of their name: `RolloutPaused` asks the conditions without `when` of `on-rollout-paused`. */
  readonly tellsEvents?: boolean;
  /** Something beside the object that triggers and templates may name; it is read when one of them does. */
  readonly beside?: { readonly name: string; read(client: Client, object: KubeObject): Promise<readonly unknown[]> };
}
