import type { ResourceMap } from '../resource/resource-map.ts';

/** A step that changes the resources of a kustomization. */
export interface Transformer {
  /** Kustomize's name of the plugin, such as `PrefixTransformer`. */
  readonly name: string;
  /** Text of the origin annotation, for transformers of plugin configurations. */
  readonly originText?: string;
  transform(resources: ResourceMap): void | Promise<void>;
}
