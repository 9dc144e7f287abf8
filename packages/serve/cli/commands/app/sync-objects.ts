import type { ApplicationApi, ApplicationName, ManagedResource } from '../../client/application-api.ts';

/** `[!][GROUP]:KIND:[NAMESPACE/]NAME` of `--resource`. */
export interface ObjectPattern {
  readonly excludes: boolean;
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

type PatternSubject = { readonly [K in 'group' | 'kind' | 'namespace' | 'name']?: string | undefined };

interface SyncObject {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Undefined for a text of another form. */
export function parsePattern(text: string): ObjectPattern | undefined {
  const excludes = text.startsWith('!');
  const [group, kind, rest, ...more] = (excludes ? text.slice(1) : text).split(':');
  if (group === undefined || !kind || !rest || more.length > 0) return undefined;
  const slash = rest.indexOf('/');
  const place = slash < 0 ? { name: rest } : { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
  return { excludes, group, kind, ...place };
}

/** The objects that a sync is to be about; undefined for all. Objects are looked up only where patterns or labels ask for it. */
export async function chosenObjects(
  api: ApplicationApi,
  name: ApplicationName,
  {
    patterns,
    labels,
  }: { readonly patterns?: readonly ObjectPattern[] | undefined; readonly labels?: readonly string[] | undefined },
): Promise<SyncObject[] | undefined> {
  if (!patterns && !labels) return undefined;
  const exact = (patterns ?? []).every((pattern) => !pattern.excludes && !Object.values(pattern).includes('*'));
  if (!labels && exact) return (patterns ?? []).map(({ excludes: _, ...object }) => object);
  const managed = await api.managedResources(name);
  return managed
    .filter((object) => fitsPatterns(object, patterns ?? []) && fitsLabels(object, labels ?? []))
    .map(({ group = '', kind, namespace, name: objectName }) => ({
      group,
      kind,
      name: objectName,
      ...(namespace ? { namespace } : {}),
    }));
}

/** Whether an object is one of those that the patterns choose; all are without any. */
export function fitsPatterns(object: PatternSubject, patterns: readonly ObjectPattern[]): boolean {
  if (patterns.some((pattern) => pattern.excludes && fits(object, pattern))) return false;
  const wanted = patterns.filter(({ excludes }) => !excludes);
  return wanted.length === 0 || wanted.some((pattern) => fits(object, pattern));
}

function fits(object: PatternSubject, { group, kind, namespace, name }: ObjectPattern): boolean {
  const same = (pattern: string, found: string | undefined) => pattern === '*' || pattern === (found ?? '');
  return (
    same(group, object.group) &&
    same(kind, object.kind) &&
    same(name, object.name) &&
    (namespace === undefined || same(namespace, object.namespace))
  );
}

function fitsLabels({ targetState, liveState }: ManagedResource, labels: readonly string[]): boolean {
  const text = targetState && targetState !== 'null' ? targetState : liveState;
  const object = JSON.parse(text || '{}') as { metadata?: { labels?: Record<string, string> } } | null;
  const found = new Map(Object.entries(object?.metadata?.labels ?? {}));
  return labels.every((label) => {
    const at = label.indexOf('=');
    return at < 0 ? found.has(label) : found.get(label.slice(0, at)) === label.slice(at + 1);
  });
}
