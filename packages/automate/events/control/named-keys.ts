/** The names of the Secrets and ConfigMaps that a spec names. */
export interface NamedKeys {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
}

const configMapFields = new Set(['configmap', 'configMapKeyRef', 'krbConfigConfigMap']);
/** Fields that hold objects of the cluster or of the pod, not of the spec: what they name is theirs. */
const opaque = new Set(['resource', 'template', 'bucket']);

/** Looks through specs for selectors of keys. Triggers have their own `template`, which is looked into. */
export function namedKeys(...specs: readonly unknown[]): NamedKeys {
  const secrets = new Set<string>();
  const configMaps = new Set<string>();
  const visit = (value: unknown, field: string, inTriggers: boolean): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, field, inTriggers);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { name, key, ...rest } = value as Record<string, unknown>;
    if (typeof name === 'string' && typeof key === 'string' && Object.keys(rest).every((other) => other === 'optional'))
      (configMapFields.has(field) ? configMaps : secrets).add(name);
    else
      for (const [child, item] of Object.entries(value))
        if (!opaque.has(child) || (inTriggers && child === 'template'))
          visit(item, child, inTriggers || child === 'triggers');
  };
  for (const spec of specs) visit(spec, '', false);
  return { secrets: [...secrets].sort(), configMaps: [...configMaps].sort() };
}
