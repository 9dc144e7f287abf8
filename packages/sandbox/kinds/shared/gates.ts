import type { Strategy } from '@tiphys/apimachinery';
import { isFields, type KubeObject } from '@tiphys/kubernetes';

export type Fields = Record<string, unknown>;

export const mapAt = (value: unknown, ...path: string[]): Fields | undefined => {
  const found = path.reduce<unknown>((part, key) => (isFields(part) ? part[key] : undefined), value);
  return isFields(found) ? found : undefined;
};

export const mapsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

export function drop(target: Fields | undefined, ...fields: readonly string[]): void {
  for (const field of fields) delete target?.[field];
}

/**
 * Takes away fields of features that a kube-apiserver 1.34 leaves off, of an object and of its status, before anything is
 * validated or stored: unless the stored object has them, which it never does here.
 */
export interface Gated {
  readonly spec?: (object: KubeObject) => void;
  readonly status?: (object: KubeObject) => void;
}

/** The strategy that takes away what a kube-apiserver with its default feature gates does not know. */
export function withoutGatedFields(strategy: Strategy, gated: Gated | undefined): Strategy {
  if (!gated) return strategy;
  const { spec, status } = gated;
  return {
    ...strategy,
    prepareCreate(object, context) {
      spec?.(object);
      strategy.prepareCreate?.(object, context);
    },
    prepareUpdate(object, old, context) {
      spec?.(object);
      strategy.prepareUpdate?.(object, old, context);
    },
    prepareStatus(object, old, context) {
      status?.(object);
      strategy.prepareStatus?.(object, old, context);
    },
  };
}
