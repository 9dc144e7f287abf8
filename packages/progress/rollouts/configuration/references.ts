import type { PodTemplate } from '@tiphys/api';

export type ConfigurationKind = 'ConfigMap' | 'Secret';

/** An object that a pod template takes values or files from. */
export interface ConfigurationReference {
  readonly kind: ConfigurationKind;
  readonly name: string;
}

type Fields = Record<string, unknown>;

/** What name a reference is to have; the one that it has if undefined. */
type Rename = (reference: ConfigurationReference) => string | undefined;

/** The ConfigMaps and Secrets of a template: volumes, projected volumes, and variables of containers; each once. */
export function configurationOf(template: PodTemplate): ConfigurationReference[] {
  const found = new Map<string, ConfigurationReference>();
  renamed(template, (reference) => {
    found.set(`${reference.kind}/${reference.name}`, reference);
    return undefined;
  });
  return [...found.values()];
}

/** The template with other names of its ConfigMaps and Secrets. Pull secrets are no configuration, and stay. */
export function renamed(template: PodTemplate, rename: Rename): PodTemplate {
  const { spec } = template;
  if (!spec) return template;
  const volumes = listOf(spec.volumes).map((volume) => withVolume(volume, rename));
  const lists = ['initContainers', 'containers'].flatMap((field) => {
    const containers = listOf(spec[field]).map((container) => withContainer(container, rename));
    return containers.length > 0 ? [[field, containers]] : [];
  });
  return {
    ...template,
    spec: { ...spec, ...(volumes.length > 0 ? { volumes } : {}), ...Object.fromEntries(lists) },
  };
}

function withVolume(volume: Fields, rename: Rename): Fields {
  const projected = mapOf(volume.projected);
  const sources = listOf(projected?.sources).map((source) =>
    withName(withName(source, 'configMap', 'name', 'ConfigMap', rename), 'secret', 'name', 'Secret', rename),
  );
  const base = withName(
    withName(volume, 'configMap', 'name', 'ConfigMap', rename),
    'secret',
    'secretName',
    'Secret',
    rename,
  );
  return projected && sources.length > 0 ? { ...base, projected: { ...projected, sources } } : base;
}

function withContainer(container: Fields, rename: Rename): Fields {
  const envFrom = listOf(container.envFrom).map((each) =>
    withName(withName(each, 'configMapRef', 'name', 'ConfigMap', rename), 'secretRef', 'name', 'Secret', rename),
  );
  const env = listOf(container.env).map((each) => {
    const from = mapOf(each.valueFrom);
    if (!from) return each;
    const keys = withName(from, 'configMapKeyRef', 'name', 'ConfigMap', rename);
    return { ...each, valueFrom: withName(keys, 'secretKeyRef', 'name', 'Secret', rename) };
  });
  return { ...container, ...(envFrom.length > 0 ? { envFrom } : {}), ...(env.length > 0 ? { env } : {}) };
}

function withName(holder: Fields, field: string, nameField: string, kind: ConfigurationKind, rename: Rename): Fields {
  const reference = mapOf(holder[field]);
  const name = reference?.[nameField];
  if (typeof name !== 'string' || name === '') return holder;
  const next = rename({ kind, name });
  return next === undefined || next === name ? holder : { ...holder, [field]: { ...reference, [nameField]: next } };
}

function mapOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((each): each is Fields => mapOf(each) !== undefined) : [];
}
