import type { Application } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { PlanRow } from '@tiphys/engine';
import type { ApiSession } from './api-session.ts';

/** `name` or `namespace/name`, as users write an application. */
export interface ApplicationName {
  readonly name: string;
  readonly appNamespace?: string | undefined;
}

export function parseApplicationName(text: string, namespace?: string): ApplicationName {
  const [first = '', second] = text.split('/');
  return second === undefined ? { name: first, appNamespace: namespace } : { name: second, appNamespace: first };
}

/** One object of an application, live and predicted as JSON text; empty text where a side is missing. */
export interface ManagedResource {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  hook?: boolean;
  normalizedLiveState?: string;
  predictedLiveState?: string;
  targetState?: string;
  liveState?: string;
}

/** A node of the resource tree as the API gives it. */
export interface ResourceNode {
  kind: string;
  name: string;
  namespace?: string;
  group?: string;
  version?: string;
  uid?: string;
  parentRefs?: { uid?: string; kind?: string; name?: string }[];
  health?: { status?: string; message?: string };
}

/** What a sync would do: the planner's rows, why it would be refused, and all of it in one line. */
export interface ApplicationPlan {
  readonly rows: readonly PlanRow[];
  readonly refusals: readonly Diagnosis[];
  readonly summary: string;
}

/** Which revision is meant; of several sources one for each position, counted from 1. */
export interface Revisions {
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly sourcePositions?: readonly number[];
}

/** The calls of the application service that the command line makes. */
export class ApplicationApi {
  readonly #session: ApiSession;

  constructor(session: ApiSession) {
    this.#session = session;
  }

  get session(): ApiSession {
    return this.#session;
  }

  #path({ name }: ApplicationName, rest = ''): string {
    return `/api/v1/applications/${encodeURIComponent(name)}${rest}`;
  }

  async list(query: {
    name?: string;
    project?: readonly string[];
    selector?: string | undefined;
    repo?: string | undefined;
    appNamespace?: string | undefined;
  }): Promise<Application[]> {
    const { project, ...rest } = query;
    return (
      (
        await this.#session.request<{ items?: Application[] | null }>('GET', '/api/v1/applications', {
          query: { ...rest, projects: project },
        })
      ).items ?? []
    );
  }

  /**
   * One application. That of a missing project is refused by itself, in words that clients know, but is in the list with the
   * diagnosis that tells why: it comes from there.
   */
  async get(name: ApplicationName, refresh?: 'normal' | 'hard'): Promise<Application> {
    const { appNamespace } = name;
    try {
      return await this.#session.request('GET', this.#path(name), { query: { appNamespace, refresh } });
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('app is not allowed in project'))) throw error;
      const [listed] = await this.list({ name: name.name, appNamespace });
      if (!listed) throw error;
      return listed;
    }
  }

  watch(name: ApplicationName, signal: AbortSignal): AsyncGenerator<{ type: string; application: Application }> {
    return this.#session.stream('/api/v1/stream/applications', {
      query: { name: name.name, appNamespace: name.appNamespace },
      signal,
    });
  }

  tree(name: ApplicationName): Promise<{ nodes?: ResourceNode[] | null; orphanedNodes?: ResourceNode[] | null }> {
    return this.#session.request('GET', this.#path(name, '/resource-tree'), {
      query: { appNamespace: name.appNamespace },
    });
  }

  async managedResources(name: ApplicationName): Promise<ManagedResource[]> {
    return (
      (
        await this.#session.request<{ items?: ManagedResource[] | null }>(
          'GET',
          this.#path(name, '/managed-resources'),
          { query: { appNamespace: name.appNamespace } },
        )
      ).items ?? []
    );
  }

  async manifests(name: ApplicationName, { revision, revisions, sourcePositions }: Revisions = {}): Promise<string[]> {
    return (
      (
        await this.#session.request<{ manifests?: string[] | null }>('GET', this.#path(name, '/manifests'), {
          query: {
            appNamespace: name.appNamespace,
            revision,
            revisions,
            sourcePositions: sourcePositions?.map(String),
          },
        })
      ).manifests ?? []
    );
  }

  sync(name: ApplicationName, body: object): Promise<Application> {
    return this.#session.request('POST', this.#path(name, '/sync'), {
      body: { name: name.name, appNamespace: name.appNamespace, ...body },
    });
  }

  /** What a sync with this body would do to each object, in its order, and why it would be refused. */
  plan(name: ApplicationName, body: object): Promise<ApplicationPlan> {
    return this.#session.request('POST', `/api/tiphys/v1/applications/${encodeURIComponent(name.name)}/plan`, {
      query: { appNamespace: name.appNamespace },
      body,
    });
  }

  rollback(name: ApplicationName, id: number, prune: boolean): Promise<Application> {
    return this.#session.request('POST', this.#path(name, '/rollback'), {
      body: { name: name.name, appNamespace: name.appNamespace, id, prune },
    });
  }

  delete(name: ApplicationName, query: { cascade: boolean; propagationPolicy: string }): Promise<unknown> {
    return this.#session.request('DELETE', this.#path(name), { query: { ...query, appNamespace: name.appNamespace } });
  }

  logs(
    name: ApplicationName,
    query: Record<string, string | number | boolean | undefined>,
    signal: AbortSignal,
  ): AsyncGenerator<LogLine> {
    return this.#session.stream(this.#path(name, '/logs'), {
      query: { ...query, appNamespace: name.appNamespace },
      signal,
    });
  }
}

export interface LogLine {
  content?: string;
  podName?: string;
  timeStampStr?: string;
  last?: boolean;
}
