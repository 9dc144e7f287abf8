import { parse, stringify } from 'yaml';

/** An Application that is being written: any JSON, since its YAML can be written by hand. */
export type Draft = Readonly<Record<string, unknown>>;

export const emptyDraft: Draft = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: '' },
  spec: {
    project: 'default',
    source: { repoURL: '', path: '', targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: '' },
  },
};

/**
 * What a link to the form has in it: `project`, `repository`, or as Argo CD's addresses a whole Application as JSON in `new`. It is
 * shown to be looked at, as what somebody types is; what is no such object is left out.
 */
export function draftOfAddress(search: URLSearchParams): Draft {
  const given = objectIn(search.get('new') ?? '');
  const { metadata, spec } = given;
  let draft: Draft = {
    ...emptyDraft,
    ...(isMap(metadata) ? { metadata: { name: '', ...metadata } } : {}),
    ...(isMap(spec) ? { spec } : {}),
  };
  const project = search.get('project');
  if (project) draft = withValue(draft, 'spec.project', project);
  const repository = search.get('repository');
  if (repository) draft = withValue(draft, 'spec.source.repoURL', repository);
  return draft;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    // the address of somebody who cut it short
    return {};
  }
}

/** The value at a dotted path, in which a number is a place in a list; undefined where there is none. */
export function valueAt(draft: unknown, path: string): unknown {
  let value = draft;
  for (const key of path.split('.'))
    value = Array.isArray(value) ? value[Number(key)] : isMap(value) ? value[key] : undefined;
  return value;
}

export function textAt(draft: unknown, path: string): string {
  const value = valueAt(draft, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The draft with another value at a dotted path; undefined takes it out, and what is empty then. */
export function withValue(draft: Draft, path: string, value: unknown): Draft {
  const [key = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : withInner(draft[key], rest, value);
  const { [key]: _, ...others } = draft;
  const emptied = value === undefined && isMap(inner) && Object.keys(inner).length === 0;
  if (inner === undefined || emptied) return others;
  // the order of the keys stays
  return Object.hasOwn(draft, key)
    ? Object.fromEntries(Object.entries(draft).map(([k, v]) => [k, k === key ? inner : v]))
    : { ...draft, [key]: inner };
}

function withInner(inner: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const path = [key, ...rest].join('.');
  if (!Array.isArray(inner)) return withValue(isMap(inner) ? inner : {}, path, value);
  const items: readonly unknown[] = inner;
  return items.map((item, index) =>
    index !== Number(key) ? item : rest.length === 0 ? value : withInner(item, rest, value),
  );
}

/** Where an application says what is hydrated: rendered, and committed to the branch that it then syncs. */
const hydrator = 'spec.sourceHydrator';
export const drySource = `${hydrator}.drySource`;

export const isHydrated = (draft: Draft) => isMap(valueAt(draft, hydrator));

/** The draft with its source hydrated, or synced as it is again: what is rendered stays the same. Several sources cannot be hydrated. */
export function withHydration(draft: Draft, on: boolean): Draft {
  if (on === isHydrated(draft)) return draft;
  const { source, sources: _, sourceHydrator, ...spec } = isMap(draft.spec) ? draft.spec : {};
  const dry = isMap(sourceHydrator) ? sourceHydrator.drySource : undefined;
  // the whole of a branch is no folder of one application
  const path = textAt(draft, 'spec.source.path').replace(/^\.$/, '');
  const next = on
    ? { sourceHydrator: { drySource: source ?? {}, syncSource: { targetBranch: '', path } } }
    : { source: dry ?? {} };
  return { ...draft, spec: { ...spec, ...next } };
}

/** Paths of the sources: of the only one, of each of several, or of the one that is hydrated. */
export function sourcePaths(draft: Draft): readonly string[] {
  if (isHydrated(draft)) return [drySource];
  const sources = valueAt(draft, 'spec.sources');
  return Array.isArray(sources) ? sources.map((_, index) => `spec.sources.${index}`) : ['spec.source'];
}

/** One source more, at the end: several are a list. */
export function withAnotherSource(draft: Draft): Draft {
  const sources = sourcePaths(draft).map((path) => valueAt(draft, path) ?? {});
  return withSources(draft, [...sources, { repoURL: '', path: '', targetRevision: 'HEAD' }]);
}

/** Without one of several sources; the last one is no list any more. */
export function withoutSource(draft: Draft, index: number): Draft {
  return withSources(
    draft,
    sourcePaths(draft).flatMap((path, place) => (place === index ? [] : [valueAt(draft, path)])),
  );
}

function withSources(draft: Draft, sources: readonly unknown[]): Draft {
  const spec = isMap(draft.spec) ? draft.spec : {};
  const several = sources.length > 1;
  const [name, value] = several ? ['sources', sources] : ['source', sources[0]];
  const entries = Object.entries(spec).filter(([key]) => key !== 'source' && key !== 'sources');
  const at = Math.max(
    0,
    Object.keys(spec).findIndex((key) => key === 'source' || key === 'sources'),
  );
  return { ...draft, spec: Object.fromEntries(entries.toSpliced(at, 0, [name, value] as [string, unknown])) };
}

/** Names and values as a form shows them, one `name=value` a line. */
export function pairsText(value: unknown): string {
  return isMap(value)
    ? Object.entries(value)
        .map(([name, one]) => `${name}=${String(one)}`)
        .join('\n')
    : '';
}

/** What is written as one `name=value` a line; `broken` is the first line that is none. */
export function pairsOf(text: string): { pairs: Readonly<Record<string, string>> | undefined; broken?: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const broken = lines.find((line) => !/^\s*[^=\s]+\s*=/.test(line));
  const pairs = lines
    .filter((line) => line.indexOf('=') > 0)
    .map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()] as const)
    .filter(([name]) => name !== '');
  return {
    pairs: pairs.length > 0 ? Object.fromEntries(pairs) : undefined,
    ...(broken === undefined ? {} : { broken: broken.trim() }),
  };
}

/** An option such as `CreateNamespace=true` of the sync policy, on or off. */
export function withOption(draft: Draft, option: string, on: boolean): Draft {
  const path = 'spec.syncPolicy.syncOptions';
  const options = optionsOf(draft).filter((one) => one.split('=')[0] !== option.split('=')[0]);
  const next = on ? [...options, option] : options;
  return withValue(draft, path, next.length > 0 ? next : undefined);
}

export function optionsOf(draft: Draft): readonly string[] {
  const value = valueAt(draft, 'spec.syncPolicy.syncOptions');
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function draftToYaml(draft: Draft): string {
  return stringify(draft, { lineWidth: 0 });
}

/** The draft of a YAML text; undefined where it is none. */
export function yamlToDraft(text: string): Draft | undefined {
  try {
    const value: unknown = parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    // the editor marks the mistake
    return undefined;
  }
}

const dnsName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** What is wrong with what the form asks for, by path; the server has the last word. */
export function problemsOf(draft: Draft): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  const name = textAt(draft, 'metadata.name');
  if (!name) problems.set('metadata.name', 'A name is needed');
  else if (!dnsName.test(name) || name.length > 253)
    problems.set('metadata.name', 'Small letters, digits, - and . only; it begins and ends with a letter or a digit');
  if (!textAt(draft, 'spec.project')) problems.set('spec.project', 'A project is needed');
  for (const source of sourcePaths(draft)) {
    const has = (field: string) => textAt(draft, `${source}.${field}`) !== '';
    if (!has('repoURL')) problems.set(`${source}.repoURL`, 'A repository is needed');
    // a source with a name may give nothing but files to the others
    if (!has('path') && !has('chart') && !has('ref'))
      problems.set(`${source}.path`, 'A folder of the repository, or a chart, is needed; . is the whole repository');
    if (has('chart') && !has('targetRevision')) problems.set(`${source}.targetRevision`, 'A chart needs a version');
  }
  if (isHydrated(draft))
    for (const [field, problem] of [
      ['syncSource.targetBranch', 'A branch is needed, to which the manifests are committed'],
      ['syncSource.path', 'A folder of that branch is needed: each application has its own'],
    ] as const)
      if (!textAt(draft, `${hydrator}.${field}`)) problems.set(`${hydrator}.${field}`, problem);
  if (!textAt(draft, 'spec.destination.server') && !textAt(draft, 'spec.destination.name'))
    problems.set('spec.destination.server', 'A cluster is needed');
  return problems;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
