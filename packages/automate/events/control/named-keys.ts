import type { KeySelector } from '../spec/common.ts';

/** The names of the Secrets and ConfigMaps that a spec names. */
export interface NamedKeys {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
}

/** A selector of a key, and where in the spec it is. */
export interface KeyReference {
  readonly kind: 'Secret' | 'ConfigMap';
  /** `webhook.push.authSecret` */
  readonly path: string;
  readonly selector: KeySelector;
}

const configMapFields = new Set(['configmap', 'configMapKeyRef', 'krbConfigConfigMap']);
/** Fields that hold objects of the cluster or of the pod, not of the spec: what they name is theirs. */
const opaque = new Set(['resource', 'template', 'bucket']);

/** Looks through a spec for selectors of keys. Triggers have their own `template`, which is looked into. */
export function keyReferences(spec: unknown): KeyReference[] {
  const found: KeyReference[] = [];
  const visit = (value: unknown, path: readonly string[], inTriggers: boolean): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, path, inTriggers);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { name, key, optional, ...rest } = value as Record<string, unknown>;
    if (typeof name === 'string' && typeof key === 'string' && Object.keys(rest).length === 0)
      found.push({
        kind: configMapFields.has(path.at(-1) ?? '') ? 'ConfigMap' : 'Secret',
        path: path.join('.'),
        selector: { name, key, ...(typeof optional === 'boolean' ? { optional } : {}) },
      });
    else
      for (const [child, item] of Object.entries(value))
        if (!opaque.has(child) || (inTriggers && child === 'template'))
          visit(item, [...path, child], inTriggers || child === 'triggers');
  };
  visit(spec, [], false);
  return found;
}

/** The objects that specs name by selectors of keys. */
export function namedKeys(...specs: readonly unknown[]): NamedKeys {
  const all = specs.flatMap(keyReferences);
  const namesOf = (wanted: KeyReference['kind']): string[] =>
    [...new Set(all.flatMap(({ kind, selector }) => (kind === wanted ? [selector.name ?? ''] : [])))].sort();
  return { secrets: namesOf('Secret'), configMaps: namesOf('ConfigMap') };
}
