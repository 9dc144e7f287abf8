import type { KubeObject } from '@tiphys/kubernetes';
import type { WrittenField } from '@tiphys/kustomize';

/** Where a desired object came from in the repository. */
export interface Origin {
  readonly file: string;
  /** 1-based line at which the object starts. */
  readonly line: number;
  /** Fields that entries of kustomizations wrote into it, the innermost first; absent for none. */
  readonly written?: readonly WrittenField[];
}

/** A desired object as the source rendered it; namespace, tracking and so on are not yet set. */
export interface DesiredObject {
  readonly object: KubeObject;
  readonly origin: Origin;
  /** Fields whose values were generated at random or from the clock. */
  readonly generated?: readonly GeneratedField[];
}

/** A field whose value was generated, or was made from generated values. */
export interface GeneratedField {
  /** Names and indexes from the root of the object. */
  readonly path: readonly (string | number)[];
  /** Functions that generated it: `genCA`, `randAlphaNum`. */
  readonly functions: readonly string[];
  /** Keys of the recorded values that are in it. */
  readonly keys: readonly string[];
  /** The text around the generated parts, if it is known; of the decoded text if `base64`. Absent: all of it is generated. */
  readonly literals?: readonly string[];
  readonly base64?: boolean;
}
