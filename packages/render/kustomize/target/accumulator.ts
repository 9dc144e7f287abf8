import { emptyConfig, mergeConfigs, type TransformerConfig } from '../config/transformer-config.ts';
import { VarSet } from '../replacement/var-set.ts';
import { ResourceMap } from '../resource/resource-map.ts';

/** Resources gathered so far, with the field specs and vars that came with them. */
export class Accumulator {
  readonly resources = new ResourceMap();
  readonly vars = new VarSet();
  config: TransformerConfig = emptyConfig;

  mergeConfig(config: TransformerConfig): void {
    this.config = mergeConfigs(this.config, config);
  }

  merge(other: Accumulator): void {
    this.resources.appendAll(other.resources);
    this.mergeConfig(other.config);
    this.vars.mergeSet(other.vars);
  }
}
