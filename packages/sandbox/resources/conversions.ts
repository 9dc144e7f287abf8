import type { KubeObject } from '@tiphys/kubernetes';

/** How a version that is not the stored one is read and written. */
export interface Conversion {
  readonly collection: string;
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (object: KubeObject) => KubeObject;
}

/** The conversion of a built-in resource, or undefined where the version is the stored one. */
export function conversionOf(_group: string, _version: string, _plural: string): Conversion | undefined {
  return undefined;
}
