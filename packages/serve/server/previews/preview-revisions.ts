import type { Application } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import { diagnosisOf } from '@tiphys/diagnosis';
import { keyString } from '@tiphys/kubernetes';
import { changesOf, inParallel, type Preview, type PreviewedApplication } from '@tiphys/preview';
import { refOf } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { maskSecrets } from '../resources/mask-secrets.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';

/** Objects whose manifests are told for one application; of more only the names. */
const mostManifests = 200;
const commit = /^[0-9a-f]{40}$/;

/** Two revisions of a repository. */
export interface PreviewedRevisions {
  readonly repo: string;
  /** What is merged into; a commit stands for all applications. */
  readonly base: string;
  readonly head: string;
}

/** What the head makes differently of the manifests of those of the applications that track the base. */
export async function previewRevisions(
  context: ServerContext,
  applications: readonly Application[],
  query: PreviewedRevisions,
  signal: AbortSignal,
): Promise<Preview> {
  const sensitive = await sensitiveAnnotations(context);
  const found = await inParallel(applications, (application) =>
    preview(context, { application, query, sensitive, signal }),
  );
  const previewed = found.filter((each) => each !== undefined);
  return {
    applications: previewed.length,
    items: previewed.filter(({ objects, problem }) => objects.length > 0 || problem),
  };
}

interface Asked {
  readonly application: Application;
  readonly query: PreviewedRevisions;
  readonly signal: AbortSignal;
}

/** Undefined for an application that does not track the base. */
async function preview(
  context: ServerContext,
  { application, query, sensitive, signal }: Asked & { readonly sensitive: readonly string[] },
): Promise<PreviewedApplication | undefined> {
  const { namespace = '', name = '' } = application.metadata;
  const { backend } = context;
  const sources = manifestSourcesOf(application.spec);
  const own = sources.map(({ repoURL }) => sameRepository(repoURL, query.repo));
  const at = (revision: string) => own.map((isOwn) => (isOwn ? revision : ''));
  try {
    const tip = await backend.render(application, { revisions: at(query.base), signal });
    if (!(await tracks(context, { application, query, base: tip.revisions, signal }))) return undefined;
    const head = await backend.render(application, { revisions: at(query.head), signal });
    // what the base got since the head left it is no change of the head's
    const index = own.indexOf(true);
    const [before = '', after = ''] = [tip.revisions[index], head.revisions[index]];
    const left = (await backend.mergeBase(application, index, [before, after], signal)) ?? before;
    const base = left === before ? tip : await backend.render(application, { revisions: at(left), signal });
    return await difference(context, { application, base, head, sensitive, signal });
  } catch (error) {
    signal.throwIfAborted();
    return { namespace, name, objects: [], problem: diagnosisOf(error) };
  }
}

/** What other revisions of its sources, one a source, make of an application. */
export async function previewVersions(
  context: ServerContext,
  application: Application,
  revisions: { readonly base: readonly string[]; readonly head: readonly string[] },
  signal: AbortSignal,
): Promise<PreviewedApplication> {
  const { backend } = context;
  try {
    const base = await backend.render(application, { revisions: revisions.base, signal });
    const head = await backend.render(application, { revisions: revisions.head, signal });
    const sensitive = await sensitiveAnnotations(context);
    return await difference(context, { application, base, head, sensitive, signal });
  } catch (error) {
    signal.throwIfAborted();
    const { namespace = '', name = '' } = application.metadata;
    return { namespace, name, objects: [], problem: diagnosisOf(error) };
  }
}

type Rendered = Awaited<ReturnType<ServerContext['backend']['render']>>;

interface Compared {
  readonly application: Application;
  readonly base: Rendered;
  readonly head: Rendered;
  readonly sensitive: readonly string[];
  readonly signal: AbortSignal;
}

async function difference(
  context: ServerContext,
  { application, base, head, sensitive, signal }: Compared,
): Promise<PreviewedApplication> {
  const objectsOf = (rendered: Rendered) => rendered.objects.map(({ object }) => object);
  const changes = changesOf(objectsOf(base), objectsOf(head), (pair) => maskSecrets(pair, sensitive));
  const live = changes.length > 0 ? await liveStates(context, application, signal) : new Map<string, string>();
  const { namespace = '', name = '' } = application.metadata;
  return {
    namespace,
    name,
    revisions: { base: base.revisions, head: head.revisions },
    objects: changes.map(({ key, change }, index) => {
      const { base: before, head: after, ...named } = change;
      const state = live.get(key) ?? (live.size > 0 ? 'Missing' : undefined);
      const manifests = { ...(before ? { base: before } : {}), ...(after ? { head: after } : {}) };
      return { ...named, ...(state ? { live: state } : {}), ...(index < mostManifests ? manifests : {}) };
    }),
  };
}

/** Whether an application follows the base: by name, or because both are the same commit now. */
async function tracks(
  { backend }: ServerContext,
  { application, query, base, signal }: Asked & { readonly base: readonly string[] },
): Promise<boolean> {
  if (commit.test(query.base)) return true;
  const own = manifestSourcesOf(application.spec)
    .map((source, index) => ({ source, index }))
    .filter(({ source }) => sameRepository(source.repoURL, query.repo));
  if (own.some(({ source }) => (source.targetRevision || 'HEAD') === query.base)) return true;
  const { revisions } = await backend.render(application, { signal });
  return own.some(({ index }) => revisions[index] === base[index]);
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
