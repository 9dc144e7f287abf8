/**
 * What strategic merge needs of an OpenAPI schema, in short words as the built-in ones are stored in this form: `f` the
 * fields of a map, `v` the values of a map with free keys, `e` the elements of a list, `k` the merge keys of a list that is
 * merged (none: by its scalars), `r` the name of the definition that stands here instead.
 */
export interface SchemaNode {
  readonly f?: Readonly<Record<string, SchemaNode>>;
  readonly v?: SchemaNode;
  readonly e?: SchemaNode;
  readonly k?: readonly string[];
  readonly r?: string;
}

/** A part of an OpenAPI v2 document as far as it is read here. */
interface OpenApiPart {
  readonly type?: unknown;
  readonly $ref?: unknown;
  readonly properties?: unknown;
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly [extension: string]: unknown;
}

const refPrefix = '#/definitions/';

export function schemaNode(part: OpenApiPart): SchemaNode {
  const node: {
    f?: Record<string, SchemaNode>;
    v?: SchemaNode;
    e?: SchemaNode;
    k?: string[];
    r?: string;
  } = {};
  const { $ref, properties, additionalProperties, items, type } = part;
  if (typeof $ref === 'string') node.r = definitionName($ref);
  if (isRecord(properties)) {
    node.f = {};
    for (const [name, field] of Object.entries(properties)) if (isRecord(field)) node.f[name] = schemaNode(field);
  }
  if (isRecord(additionalProperties)) node.v = schemaNode(additionalProperties);
  const isList = type === 'array' || (Array.isArray(type) && type.length === 1 && type[0] === 'array');
  if (isList && isRecord(items)) node.e = schemaNode(items);
  const strategy = part['x-kubernetes-patch-strategy'];
  if (typeof strategy === 'string' && strategy.split(',').includes('merge')) node.k = mergeKeys(part);
  return node;
}

function mergeKeys(part: OpenApiPart): string[] {
  const keys = part['x-kubernetes-list-map-keys'];
  if (Array.isArray(keys)) return keys.map(String);
  const key = part['x-kubernetes-patch-merge-key'];
  return typeof key === 'string' ? [key] : [];
}

function definitionName(ref: string): string {
  return ref.startsWith(refPrefix) ? ref.slice(refPrefix.length).replaceAll('~1', '/').replaceAll('~0', '~') : ref;
}

/** `apps/v1 Deployment` for each kind that the extension lists. */
export function kindsOf(part: OpenApiPart): string[] {
  const kinds = part['x-kubernetes-group-version-kind'];
  if (!Array.isArray(kinds)) return [];
  return kinds.flatMap((kind: unknown) => kindKey(kind) ?? []);
}

function kindKey(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { group, version, kind } = value;
  return `${group ? `${String(group)}/` : ''}${String(version)} ${String(kind)}`;
}

/** Which kinds the paths of an API show to have a namespace, and which not. */
export function scopesOf(paths: unknown): ReadonlyMap<string, boolean> {
  const scopes = new Map<string, boolean>();
  if (!isRecord(paths)) return scopes;
  for (const [path, item] of Object.entries(paths)) {
    const get = isRecord(item) ? item.get : undefined;
    const kind = isRecord(get) ? kindKey(get['x-kubernetes-group-version-kind']) : undefined;
    if (kind === undefined) continue;
    if (path.includes('namespaces/{namespace}')) scopes.set(kind, true);
    else if (!scopes.has(kind)) scopes.set(kind, false);
  }
  return scopes;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
