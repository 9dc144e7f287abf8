import type { FieldSpec } from '../kustomization/kustomization.ts';

/** Fields that hold the name of a kind of object. */
export interface BackReference {
  group?: string;
  version?: string;
  kind?: string;
  fieldSpecs?: FieldSpec[];
}
