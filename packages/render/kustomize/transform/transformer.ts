import type { ResourceMap } from '../resource/resource-map.ts';

/** A step that changes the resources of a kustomization. */
export interface Transformer {
  /** Kustomize's name of the plugin, such as `PrefixTransformer`. */
  readonly name: string;
  /** Text of the origin annotation, for transformers of plugin configurations. */
  readonly originText?: string;
  transform(resources: ResourceMap): void | Promise<void>;
  /** For an entry that chooses what it changes: Kustomize passes over one that fits nothing without a word. */
  readonly choice?: Choice;
  /** Paths of a JSON patch that do not begin with `/`: Kustomize leaves out what stands before the first one. */
  readonly unrooted?: readonly string[];
}

export interface Choice {
  /** What the entry wants, as it is shown. */
  readonly wanted: string;
  /** True if the last transform found something. */
  fits(): boolean;
  /** What there is of that sort, as it is shown. */
  there(resources: ResourceMap): readonly string[];
}
