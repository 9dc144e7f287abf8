import type { Promotion } from '../applications/promotion.ts';
import { t } from '../i18n/texts.ts';
import type {
  Application,
  ApplicationPreview,
  ApplicationSet,
  ApplicationTree,
  ApplicationWindowList,
  ArtifactDetails,
  ChartDetails,
  Cluster,
  Diagnosis,
  KubeEvent,
  ManagedResource,
  NotificationOverview,
  Origin,
  PlanRow,
  Project,
  RenderAccount,
  RepositoryConnection,
  ResourceAction,
  RevisionMetadata,
  SetElement,
  SetPreview,
  Settings,
  TreeNode,
} from './model.ts';

/** A refusal of the server; 401 sends the user to the login page. */
export class RequestError extends Error {
  readonly status: number;
  /** What the server knows of the causes. */
  readonly diagnoses: readonly Diagnosis[];

  constructor(status: number, message: string, diagnoses: readonly Diagnosis[] = []) {
    super(message);
    this.diagnoses = diagnoses;
    this.name = 'RequestError';
    this.status = status;
  }
}

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/** A path of the API below the page's base address, with its query; undefined values are left out, and a list is a parameter for each. */
export function apiPath(path: string, query: Query = {}, root = 'api/v1'): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? []].flat()) if (one !== '') parameters.append(name, String(one));
  const text = parameters.toString();
  return new URL(`${root}/${path}${text ? `?${text}` : ''}`, document.baseURI).toString();
}

export async function request<T>(
  method: string,
  path: string,
  options: { query?: Query; body?: unknown; root?: string } = {},
): Promise<T> {
  const response = await reach(apiPath(path, options.query, options.root), {
    method,
    credentials: 'same-origin',
    ...(method === 'GET'
      ? {}
      : options.body instanceof FormData
        ? { body: options.body }
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(options.body ?? {}) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new RequestError(
      response.status,
      messageOf(text) ?? t('The server answered with status {status}.', { status: response.status }),
      diagnosesOf(text),
    );
  return (text ? JSON.parse(text) : {}) as T;
}

/** `fetch`, whose own words for a server that is not there tell nobody anything. */
async function reach(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch {
    throw new RequestError(
      0,
      t('No answer from {host}: the server is not running, or the network is down', { host: new URL(url).host }),
    );
  }
}

/** The words of a refusal; undefined for an answer without any. */
export function messageOf(text: string): string | undefined {
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error;
  } catch {
    return text || undefined;
  }
}

/** The details of a refusal that are diagnoses. */
export function diagnosesOf(text: string): Diagnosis[] {
  if (!text.startsWith('{')) return [];
  try {
    const { details = [] } = JSON.parse(text) as { details?: { value?: Partial<Diagnosis> }[] };
    return details.flatMap(({ value }) => (value?.code && value.message ? [value as Diagnosis] : []));
  } catch {
    // an answer of something between the server and us
    return [];
  }
}

export interface ApplicationRef {
  name: string;
  namespace: string;
}

const of = ({ name }: ApplicationRef, rest = '') => `applications/${encodeURIComponent(name)}${rest}`;
const set = ({ name }: ApplicationRef, rest = '') => `applicationsets/${encodeURIComponent(name)}${rest}`;
const setScope = ({ namespace }: ApplicationRef) => ({ appsetNamespace: namespace || undefined });
const scope = ({ namespace }: ApplicationRef) => ({ appNamespace: namespace });

export const api = {
  login: (username: string, password: string) =>
    request<{ token: string }>('POST', 'session', { body: { username, password } }),
  /** Where the browser goes to log in by the identity provider; it comes back to the page it is on. */
  ssoAddress: () => {
    const address = new URL('auth/login', document.baseURI);
    const here = window.location.pathname.endsWith('/login')
      ? new URL('applications', document.baseURI).href
      : undefined;
    address.searchParams.set('return_url', here ?? window.location.href);
    return address.toString();
  },
  /** Leaving it there ends the session at the server, and at the identity provider where it has a page for that. */
  logoutAddress: () => new URL('auth/logout', document.baseURI).toString(),
  logout: () => request('DELETE', 'session'),
  settings: () => request<Settings>('GET', 'settings'),
  repositories: async (check: boolean) =>
    (
      await request<{ items: RepositoryConnection[] }>('GET', 'repositories', {
        root: 'api/tiphys/v1',
        query: { forceRefresh: check || undefined },
      })
    ).items,
  notifications: () => request<NotificationOverview>('GET', 'notifications', { root: 'api/tiphys/v1' }),
  tryNotification: (body: Readonly<Record<string, unknown>>) =>
    request<{ notification?: { message: string } }>('POST', 'notifications/try', { root: 'api/tiphys/v1', body }),
  clusters: async () => (await request<{ items?: Cluster[] | null }>('GET', 'clusters')).items ?? [],
  projects: async () => (await request<{ items?: Project[] | null }>('GET', 'projects')).items ?? [],
  /** Whether the server lets in who has not logged in: `users.anonymous.enabled`. */
  letsStrangersIn: async () => {
    try {
      await request('GET', 'applications', { root: 'api/tiphys/v1', query: { limit: 1 } });
      return true;
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) return false;
      throw error;
    }
  },
  user: () => request<{ loggedIn?: boolean; username?: string; iss?: string }>('GET', 'session/userinfo'),
  version: () =>
    fetch(new URL('api/version', document.baseURI)).then(
      (response) => response.json() as Promise<{ Version?: string }>,
    ),
  applicationSets: async () => {
    const list = await request<{ items?: ApplicationSet[] | null; metadata?: { resourceVersion?: string } }>(
      'GET',
      'applicationsets',
    );
    return { items: list.items ?? [], resourceVersion: list.metadata?.resourceVersion ?? '' };
  },
  applicationSet: (ref: ApplicationRef) => request<ApplicationSet>('GET', set(ref), { query: setScope(ref) }),
  elements: async (ref: ApplicationRef) =>
    (
      await request<{ items: SetElement[] }>('GET', set(ref, '/elements'), {
        root: 'api/tiphys/v1',
        query: setScope(ref),
      })
    ).items,
  previewSet: (ref: ApplicationRef, edited?: ApplicationSet) =>
    request<SetPreview>(edited ? 'POST' : 'GET', set(ref, '/preview'), {
      root: 'api/tiphys/v1',
      query: setScope(ref),
      ...(edited ? { body: edited } : {}),
    }),
  /** Replaces the spec of an ApplicationSet; labels and annotations are added to those that it has. */
  saveSet: (edited: unknown) =>
    request<ApplicationSet>('POST', 'applicationsets', { query: { upsert: true }, body: edited }),
  setEvents: async (ref: ApplicationRef) =>
    (await request<{ items?: KubeEvent[] | null }>('GET', set(ref, '/events'), { query: setScope(ref) })).items ?? [],
  createSet: (object: unknown) => request<ApplicationSet>('POST', 'applicationsets', { body: object }),
  confirmDeletions: (ref: ApplicationRef) =>
    request('POST', set(ref, '/confirm-deletions'), { root: 'api/tiphys/v1', query: setScope(ref), body: {} }),
  removeSet: (ref: ApplicationRef) => request('DELETE', set(ref), { query: setScope(ref) }),
  application: (ref: ApplicationRef) => request<Application>('GET', of(ref), { query: scope(ref) }),
  refresh: (ref: ApplicationRef, kind: 'normal' | 'hard') =>
    request<Application>('GET', of(ref), { query: { ...scope(ref), refresh: kind } }),
  promote: (ref: ApplicationRef, body: { to: string; digest?: string; pullRequest?: boolean }) =>
    request<Promotion>('POST', of(ref, '/promote'), { root: 'api/tiphys/v1', query: scope(ref), body }),
  tree: (ref: ApplicationRef) => request<ApplicationTree>('GET', of(ref, '/resource-tree'), { query: scope(ref) }),
  managed: async (ref: ApplicationRef) =>
    (await request<{ items?: ManagedResource[] | null }>('GET', of(ref, '/managed-resources'), { query: scope(ref) }))
      .items ?? [],
  /** The objects of a revision, one for each source, beside what is live. */
  comparedAt: async (ref: ApplicationRef, revisions: readonly string[]) => {
    const query = new URLSearchParams([['appNamespace', ref.namespace], ...revisions.map((one) => ['revision', one])]);
    return (
      await request<{ items: ManagedResource[] }>('GET', of(ref, `/comparison?${query}`), { root: 'api/tiphys/v1' })
    ).items;
  },
  /** What a sync with this body would do to each object, and why it would be refused. */
  plan: (ref: ApplicationRef, body: unknown) =>
    request<{ rows: PlanRow[]; refusals: Diagnosis[] }>('POST', of(ref, '/plan'), {
      root: 'api/tiphys/v1',
      query: scope(ref),
      body,
    }),
  windows: (ref: ApplicationRef) =>
    request<ApplicationWindowList>('GET', of(ref, '/windows'), { root: 'api/tiphys/v1', query: scope(ref) }),
  renders: async (ref: ApplicationRef) =>
    (
      await request<{ items: RenderAccount[] }>('GET', of(ref, '/renders'), {
        root: 'api/tiphys/v1',
        query: scope(ref),
      })
    ).items,
  /** Where an object of the desired state comes from. */
  origin: (ref: ApplicationRef, node: TreeNode) =>
    request<Origin>('GET', of(ref, '/origin'), {
      root: 'api/tiphys/v1',
      query: { ...scope(ref), ...objectQuery(node) },
    }),
  /** Links of the settings to an application. */
  applicationLinks: async (ref: ApplicationRef) =>
    (
      await request<{ items?: { title?: string; url?: string }[] | null }>('GET', of(ref, '/links'), {
        query: { ...scope(ref), namespace: ref.namespace },
      })
    ).items ?? [],
  /** Links of the settings to an object. */
  links: async (ref: ApplicationRef, node: TreeNode) =>
    (
      await request<{ items?: { title?: string; url?: string }[] | null }>('GET', of(ref, '/resource/links'), {
        query: { ...scope(ref), ...objectQuery(node) },
      })
    ).items ?? [],
  patchObject: (ref: ApplicationRef, node: TreeNode, patch: unknown) =>
    request('POST', of(ref, '/resource'), {
      query: { ...scope(ref), ...objectQuery(node), patchType: 'application/merge-patch+json' },
      body: JSON.stringify(patch),
    }),
  events: async (ref: ApplicationRef, object?: TreeNode) =>
    (
      await request<{ items?: KubeEvent[] | null }>('GET', of(ref, '/events'), {
        query: {
          ...scope(ref),
          ...(object
            ? { resourceUID: object.uid, resourceName: object.name, resourceNamespace: object.namespace }
            : {}),
        },
      })
    ).items ?? [],
  live: async (ref: ApplicationRef, node: TreeNode) =>
    (
      await request<{ manifest?: string }>('GET', of(ref, '/resource'), {
        query: {
          ...scope(ref),
          ...objectQuery(node),
        },
      })
    ).manifest ?? '',
  /** Who made a revision of a source, when and why; `id` is that of the history, for sources that have changed since. */
  revision: (ref: ApplicationRef, revision: string, sourceIndex: number, id?: number) =>
    request<RevisionMetadata>('GET', of(ref, `/revisions/${encodeURIComponent(revision)}/metadata`), {
      query: { ...scope(ref), sourceIndex, versionId: id },
    }),
  /** What the version of a chart says of itself. */
  chart: (ref: ApplicationRef, revision: string, sourceIndex: number, id?: number) =>
    request<ChartDetails>('GET', of(ref, `/revisions/${encodeURIComponent(revision)}/chartdetails`), {
      query: { ...scope(ref), sourceIndex, versionId: id },
    }),
  /** What an artifact of a registry says of itself. */
  artifact: (ref: ApplicationRef, revision: string, sourceIndex: number, id?: number) =>
    request<ArtifactDetails>('GET', of(ref, `/revisions/${encodeURIComponent(revision)}/ocimetadata`), {
      query: { ...scope(ref), sourceIndex, versionId: id },
    }),
  /** What a revision deploys, as JSON; one for each source where there are several. */
  manifests: async (ref: ApplicationRef, revisions: readonly string[]) => {
    const query = new URLSearchParams({ appNamespace: ref.namespace });
    if (revisions.length === 1) query.set('revision', revisions[0] ?? '');
    else
      for (const [index, revision] of revisions.entries()) {
        query.append('revisions', revision);
        query.append('sourcePositions', String(index + 1));
      }
    return (await request<{ manifests?: string[] | null }>('GET', of(ref, `/manifests?${query}`))).manifests ?? [];
  },
  sync: (ref: ApplicationRef, body: Record<string, unknown>) =>
    request<Application>('POST', of(ref, '/sync'), { body }),
  terminate: (ref: ApplicationRef) => request('DELETE', of(ref, '/operation'), { query: scope(ref) }),
  rollback: (ref: ApplicationRef, id: number, prune: boolean) =>
    request<Application>('POST', of(ref, '/rollback'), { body: { name: ref.name, ...scope(ref), id, prune } }),
  patch: (ref: ApplicationRef, patch: unknown) =>
    request<Application>('PATCH', of(ref), {
      body: { name: ref.name, ...scope(ref), patchType: 'merge', patch: JSON.stringify(patch) },
    }),
  create: (application: unknown) => request<Application>('POST', 'applications', { body: application }),
  /** What an application would deploy, without storing it. */
  preview: (application: unknown) =>
    request<ApplicationPreview>('POST', 'applications/preview', { root: 'api/tiphys/v1', body: application }),
  /** Turns automated sync off; what else the policy says stays. */
  stopAutomation: (ref: ApplicationRef) =>
    request<Application>('PATCH', of(ref), {
      body: {
        name: ref.name,
        ...scope(ref),
        patchType: 'merge',
        patch: JSON.stringify({ spec: { syncPolicy: { automated: { enabled: false } } } }),
      },
    }),
  /** Lets the pruning or deletion go on that waits for a person. */
  confirmDeletion: (ref: ApplicationRef) =>
    api.patch(ref, {
      metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': new Date().toISOString() } },
    }),
  /** Without `propagation` the objects stay. */
  remove: (ref: ApplicationRef, propagation: 'foreground' | 'background' | undefined) =>
    request('DELETE', of(ref), {
      query: { ...scope(ref), cascade: propagation !== undefined, propagationPolicy: propagation },
    }),
  actions: async (ref: ApplicationRef, node: TreeNode) =>
    (
      await request<{ actions?: ResourceAction[] | null }>('GET', of(ref, '/resource/actions'), {
        query: { ...scope(ref), ...objectQuery(node) },
      })
    ).actions ?? [],
  runAction: (ref: ApplicationRef, node: TreeNode, action: string, parameters: Readonly<Record<string, string>>) =>
    request('POST', of(ref, '/resource/actions/v2'), {
      body: {
        name: ref.name,
        ...scope(ref),
        ...objectQuery(node),
        action,
        resourceActionParameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
      },
    }),
  deleteObject: (ref: ApplicationRef, node: TreeNode, how: { force: boolean; orphan: boolean }) =>
    request('DELETE', of(ref, '/resource'), { query: { ...scope(ref), ...objectQuery(node), ...how } }),
};

/** How the API names an object of an application. */
function objectQuery({ name, namespace, group, kind, version }: TreeNode) {
  return { resourceName: name, namespace: namespace ?? '', group: group ?? '', kind, version: version ?? '' };
}

/** Where the WebSocket of a terminal is; with http for what the server says in the place of one. */
export function terminalAddress(
  ref: ApplicationRef,
  project: string,
  pod: TreeNode,
  container: string,
  scheme: 'ws' | 'http',
): string {
  const address = apiPath(
    'terminal',
    {
      pod: pod.name,
      container,
      appName: ref.name,
      appNamespace: ref.namespace,
      projectName: project,
      namespace: pod.namespace,
    },
    '.',
  );
  return scheme === 'ws' ? address.replace(/^http/, 'ws') : address;
}
