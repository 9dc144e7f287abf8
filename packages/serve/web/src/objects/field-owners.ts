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

/** Who last wrote a field, or what it is in, by its JSON pointer; the newest first. */
export function ownersAt(object: unknown, pointer: string): FieldOwner[] {
  const { metadata } = (object ?? {}) as { metadata?: { managedFields?: ManagedFields[] } };
  const steps = stepsOf(pointer);
  return (metadata?.managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1 !== undefined && owns(fieldsV1, object, steps))
    .map(({ manager = '', operation = '', subresource = '', time = '' }) => ({
      path: pointer,
      manager,
      operation,
      subresource,
      time,
    }))
    .sort((a, b) => (a.time < b.time ? 1 : -1));
}

/** The names and places that a JSON pointer goes through. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function owns(fields: Record<string, unknown>, value: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const inner = Array.isArray(value) ? value[Number(step)] : (value as Record<string, unknown> | undefined)?.[step];
  const key = Array.isArray(value)
    ? Object.keys(fields).find((one) => isItem(one, inner, step))
    : Object.hasOwn(fields, `f:${step}`)
      ? `f:${step}`
      : undefined;
  // what has no fields of its own is owned as a whole
  if (key === undefined) return Object.keys(fields).length === 0;
  return owns((fields[key] ?? {}) as Record<string, unknown>, inner, rest);
}

function isItem(key: string, item: unknown, index: string): boolean {
  if (key.startsWith('i:')) return key.slice(2) === index;
  try {
    const wanted = JSON.parse(key.slice(2)) as unknown;
    if (key.startsWith('v:')) return wanted === item;
    return (
      key.startsWith('k:') &&
      Object.entries(wanted as Record<string, unknown>).every(
        ([name, value]) => (item as Record<string, unknown> | undefined)?.[name] === value,
      )
    );
  } catch {
    // a key that no API server writes
    return false;
  }
}
