import type { Application } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { type KubeObject, keyOf, keyString, parseApiVersion } from '@tiphys/kubernetes';
import { rbacName, refOf } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { maskSecrets } from '../resources/mask-secrets.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = '/api/tiphys/v1/preview';
/** Applications that are rendered at a time for one caller. */
const parallel = 4;
/** Objects whose manifests are told for one application; of more only the names. */
const mostManifests = 200;
const commit = /^[0-9a-f]{40}$/;

interface PreviewQuery {
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly application: string | undefined;
}

/** An object that two revisions make differently; values of Secrets are hidden. */
interface ChangedObject {
  readonly action: 'create' | 'change' | 'delete';
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** What is live now, compared with the tracked revision: `Synced`, `OutOfSync`, or `Missing`; absent where it is not known. */
  readonly live?: string;
  readonly base?: KubeObject;
  readonly head?: KubeObject;
}

interface PreviewedApplication {
  readonly namespace: string;
  readonly name: string;
  readonly revisions?: { readonly base: readonly string[]; readonly head: readonly string[] };
  readonly objects: readonly ChangedObject[];
  /** Why it could not be previewed. */
  readonly problem?: Diagnosis;
}

/**
 * `GET /api/tiphys/v1/preview?repo=URL&base=REF&head=REF&application=[NAMESPACE/]NAME`: what a merge of `head` into `base` changes of the manifests of
 * each application that tracks `base` in this repository: `items`, those with changes or problems alone, and `applications`, how many were
 * looked at. A commit as `base` stands for every application of the repository. An application whose render reads nothing that differs costs no
 * render. Needs `applications, get`, and shows no others. Undefined for other paths.
 */
export function servePreview(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== path) return undefined;
  return serveOwn(asked, '/application.ApplicationService/GetManifests', async (call) => {
    const query = readQuery(parseUrlQuery(asked.request.url));
    const applications = await concerned(context, call, query);
    const sensitive = await sensitiveAnnotations(context);
    const found = await inParallel(applications, (application) =>
      preview(context, call, { application, query, sensitive }),
    );
    const previewed = found.filter((each) => each !== undefined);
    const items = previewed.filter(({ objects, problem }) => objects.length > 0 || problem);
    return { applications: previewed.length, items };
  });
}

function readQuery(search: URLSearchParams): PreviewQuery {
  const wanted = (name: string) => {
    const text = search.get(name);
    if (!text || text.length > 1_000) throw invalidArgument(`${name} is required: preview?repo=URL&base=REF&head=REF`);
    return text;
  };
  return {
    repo: wanted('repo'),
    base: wanted('base'),
    head: wanted('head'),
    application: search.get('application') || undefined,
  };
}

async function concerned(
  context: ServerContext,
  call: Call,
  { repo, application }: PreviewQuery,
): Promise<Application[]> {
  const { namespace } = context;
  const enforcer = await context.enforcer();
  const wanted = application && !application.includes('/') ? `${namespace}/${application}` : application;
  const all = await context.applications.list();
  return all
    .filter((app) => wanted === undefined || wanted === `${app.metadata.namespace}/${app.metadata.name}`)
    .filter((app) => enforcer.allows(call.identity, 'applications', 'get', rbacName(app, namespace)))
    .filter((app) => manifestSourcesOf(app.spec).some(({ repoURL }) => sameRepository(repoURL, repo)));
}

/** Undefined for an application that does not track the base. */
async function preview(
  context: ServerContext,
  call: Call,
  { application, query, sensitive }: { application: Application; query: PreviewQuery; sensitive: readonly string[] },
): Promise<PreviewedApplication | undefined> {
  const { namespace = '', name = '' } = application.metadata;
  const { backend } = context;
  const { signal } = call;
  const sources = manifestSourcesOf(application.spec);
  const at = (revision: string) => sources.map(({ repoURL }) => (sameRepository(repoURL, query.repo) ? revision : ''));
  try {
    const base = await backend.render(application, { revisions: at(query.base), signal });
    if (!(await tracks(context, { application, query, base: base.revisions, signal }))) return undefined;
    const head = await backend.render(application, { revisions: at(query.head), signal });
    const objects = changesOf(base.objects, head.objects, sensitive);
    const live = objects.length > 0 ? await liveStates(context, application, signal) : new Map<string, string>();
    return {
      namespace,
      name,
      revisions: { base: base.revisions, head: head.revisions },
      objects: objects.map(({ key, ...object }, index) => {
        const { base: before, head: after, ...named } = object;
        const state = live.get(key) ?? (live.size > 0 ? 'Missing' : undefined);
        const manifests = { ...(before ? { base: before } : {}), ...(after ? { head: after } : {}) };
        return { ...named, ...(state ? { live: state } : {}), ...(index < mostManifests ? manifests : {}) };
      }),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { namespace, name, objects: [], problem: diagnosisOf(error) };
  }
}

/** Whether an application follows the base: by name, or because both are the same commit now. */
async function tracks(
  { backend }: ServerContext,
  {
    application,
    query,
    base,
    signal,
  }: { application: Application; query: PreviewQuery; base: readonly string[]; signal: AbortSignal },
): Promise<boolean> {
  if (commit.test(query.base)) return true;
  const own = manifestSourcesOf(application.spec)
    .map((source, index) => ({ source, index }))
    .filter(({ source }) => sameRepository(source.repoURL, query.repo));
  if (own.some(({ source }) => (source.targetRevision || 'HEAD') === query.base)) return true;
  const { revisions } = await backend.render(application, { signal });
  return own.some(({ index }) => revisions[index] === base[index]);
}

type Keyed = Omit<ChangedObject, 'live'> & { readonly key: string };

function changesOf(
  base: readonly { readonly object: KubeObject }[],
  head: readonly { readonly object: KubeObject }[],
  sensitive: readonly string[],
): Keyed[] {
  const byKey = (list: typeof base) => new Map(list.map(({ object }) => [keyString(keyOf(object)), object]));
  const [before, after] = [byKey(base), byKey(head)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)))
    .map((key) => {
      const [one, other] = maskSecrets([before.get(key), after.get(key)], sensitive);
      const { apiVersion, kind, metadata } = (other ?? one) as KubeObject;
      return {
        key,
        action: one && other ? 'change' : other ? 'create' : 'delete',
        group: parseApiVersion(apiVersion).group,
        kind,
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
        ...(one ? { base: one } : {}),
        ...(other ? { head: other } : {}),
      };
    });
}

/** How the objects are that the tracked revision is compared with; none where nothing is compared. */
async function liveStates(
  { backend }: ServerContext,
  application: Application,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { resources } = await backend.comparison(refOf(application), signal);
    return new Map(resources.map(({ key, live, status }) => [keyString(key), live ? status : 'Missing']));
  } catch {
    // an application that is not compared is previewed without
    signal.throwIfAborted();
    return new Map();
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}
