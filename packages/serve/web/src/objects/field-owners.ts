/** Who last wrote a field, by the object's managedFields. */
export interface FieldOwner {
  /** Dotted, lists by their keys: `spec.containers[name=web].image`. */
  readonly path: string;
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
}

interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
  fieldsV1?: Record<string, unknown>;
}

/** The leaves of every manager's set, by path. Unreadable parts of a set are left out. */
export function fieldOwners(object: unknown): FieldOwner[] {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: ManagedFields[] } };
  return (metadata?.managedFields ?? [])
    .flatMap(({ manager = '', operation = '', subresource = '', time = '', fieldsV1 = {} }) =>
      leavesOf(fieldsV1, '').map((path) => ({ path, manager, operation, subresource, time })),
    )
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function leavesOf(fields: Record<string, unknown>, path: string): string[] {
  return Object.entries(fields).flatMap(([key, inner]) => {
    if (key === '.') return [];
    const here = path + stepOf(key, path === '');
    const deeper = leavesOf((inner ?? {}) as Record<string, unknown>, here);
    return deeper.length > 0 ? deeper : [here];
  });
}

function stepOf(key: string, first: boolean): string {
  const name = key.slice(2);
  if (key.startsWith('f:')) return first ? name : `.${name}`;
  if (key.startsWith('v:')) return `[${name.replace(/^"|"$/g, '')}]`;
  if (!key.startsWith('k:')) return `[${name}]`;
  try {
    return `[${Object.entries(JSON.parse(name) as Record<string, unknown>)
      .map(([field, value]) => `${field}=${String(value)}`)
      .join(',')}]`;
  } catch {
    // a key that no API server writes is shown as it is
    return `[${name}]`;
  }
}
