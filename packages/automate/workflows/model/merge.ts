/** Lists whose items are matched by a field, as Kubernetes' strategic merge does for containers. */
const keys: Readonly<Record<string, string>> = {
  env: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  volumes: 'name',
  initContainers: 'name',
  sidecars: 'name',
  containers: 'name',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  templates: 'name',
  parameters: 'name',
  artifacts: 'name',
  volumeClaimTemplates: 'name',
};

type Json = Record<string, unknown>;

/** A copy of `base` with all of `over` on top: maps field by field, keyed lists item by item, the rest replaced. */
export function mergeOver(base: Json, over: Json): Json {
  const result: Json = { ...base };
  for (const [field, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = result[field];
    if (isMap(below) && isMap(value)) result[field] = mergeOver(below, value);
    else if (Array.isArray(below) && Array.isArray(value) && keys[field]) {
      result[field] = mergeLists(below, value, keys[field]);
    } else result[field] = value;
  }
  return result;
}

function mergeLists(base: readonly unknown[], over: readonly unknown[], key: string): unknown[] {
  const keyOf = (item: unknown) => (isMap(item) ? item[key] : undefined);
  const left = new Set(over);
  const result = base.map((below) => {
    const item = over.find((candidate) => keyOf(candidate) !== undefined && keyOf(candidate) === keyOf(below));
    if (!isMap(below) || !isMap(item)) return below;
    left.delete(item);
    return mergeOver(below, item);
  });
  return [...result, ...left];
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
