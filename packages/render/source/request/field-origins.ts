import { type KubeObject, parseApiVersion } from '@tiphys/kubernetes';

/** Names an object of the desired state. */
export interface WantedObject {
  /** Empty for the built-in one. */
  readonly group: string;
  readonly kind: string;
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** A line of a file, by its path from the root of its repository. */
export interface FilePlace {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** Who gave a value: a line of a file, of an option of the source (`field`), or one of its parameters. */
export type ValueGiver =
  | (FilePlace & {
      /** Of the source whose repository has the file; absent for the source itself. */
      readonly ref?: string;
    })
  | { readonly field: string; readonly line: number }
  | { readonly parameter: string };

/** What a field is made of. */
export interface FieldValue {
  /** `Values.image.tag`, `Release.Name`. */
  readonly name: string;
  /** It was empty: a default stands in for it. */
  readonly isEmpty?: true;
  /** Its name was used, not what stands under it. */
  readonly isKey?: true;
  /** Who gave it; empty for what nobody has set, absent for what is no value. */
  readonly givenBy?: readonly ValueGiver[];
}

/** Why a field is there: a branch of a template that was taken. */
export interface FieldCondition {
  /** `if .Values.ingress.enabled` */
  readonly condition: string;
  readonly place: FilePlace;
  readonly values: readonly FieldValue[];
}

/** Where one field of a desired object comes from. */
export interface FieldOrigin {
  /** Names and indexes from the root of the object. */
  readonly path: readonly (string | number)[];
  /** As text. */
  readonly value: string;
  /** The line of the template that wrote it. */
  readonly place: FilePlace;
  /** Where that was included, innermost first. */
  readonly includedAt: readonly FilePlace[];
  readonly values: readonly FieldValue[];
  /** Functions that it went through, innermost first. */
  readonly functions: readonly string[];
  /** Functions that generated it, or what it was derived from. */
  readonly generatedBy: readonly string[];
  /** Innermost first. */
  readonly conditions: readonly FieldCondition[];
}

/** Whether an object as it was rendered is the one that is asked for; one that names no namespace is in that of the destination. */
export function isWanted({ apiVersion, kind, metadata }: KubeObject, wanted: WantedObject): boolean {
  const { name, namespace = wanted.namespace } = metadata;
  if (kind !== wanted.kind || name !== wanted.name || namespace !== wanted.namespace) return false;
  return parseApiVersion(apiVersion).group === wanted.group;
}
