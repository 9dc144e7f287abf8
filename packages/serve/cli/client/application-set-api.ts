import type { Application, ApplicationSet } from '@tiphys/api';
import type { Origin, Preview } from '@tiphys/applicationsets';
import type { ApiSession } from './api-session.ts';

/** A set and, if it is not the control plane's, its namespace. */
export interface ApplicationSetName {
  readonly name: string;
  readonly appsetNamespace?: string | undefined;
}

const sets = '/api/v1/applicationsets';

/** The calls of the application-set service that the command line makes. */
export class ApplicationSetApi {
  readonly #session: ApiSession;

  constructor(session: ApiSession) {
    this.#session = session;
  }

  async list(query: {
    project?: readonly string[];
    selector?: string | undefined;
    appsetNamespace?: string | undefined;
  }): Promise<ApplicationSet[]> {
    const { project, ...rest } = query;
    const answer = await this.#session.request<{ items?: ApplicationSet[] | null }>('GET', sets, {
      query: { ...rest, projects: project },
    });
    return answer.items ?? [];
  }

  get({ name, appsetNamespace }: ApplicationSetName): Promise<ApplicationSet> {
    return this.#session.request('GET', `${sets}/${encodeURIComponent(name)}`, { query: { appsetNamespace } });
  }

  create(set: ApplicationSet, query: { upsert?: boolean; dryRun?: boolean }): Promise<ApplicationSet> {
    return this.#session.request('POST', sets, { query, body: set });
  }

  async generate(set: ApplicationSet): Promise<Application[]> {
    const body = { applicationSet: set };
    const answer = await this.#session.request<{ applications?: Application[] | null }>('POST', `${sets}/generate`, {
      body,
    });
    return answer.applications ?? [];
  }

  delete({ name, appsetNamespace }: ApplicationSetName): Promise<unknown> {
    return this.#session.request('DELETE', `${sets}/${encodeURIComponent(name)}`, { query: { appsetNamespace } });
  }

  async elements(name: ApplicationSetName): Promise<{ application: string; origin: Origin }[]> {
    const answer = await this.#own<{ items: { application: string; origin: Origin }[] }>('GET', name, 'elements');
    return answer.items;
  }

  /** Of the stored set, or of the one that is given. */
  preview(name: ApplicationSetName, set?: ApplicationSet): Promise<Preview> {
    return this.#own(set ? 'POST' : 'GET', name, 'preview', set);
  }

  confirmDeletions(name: ApplicationSetName): Promise<unknown> {
    return this.#own('POST', name, 'confirm-deletions', {});
  }

  #own<T>(method: string, { name, appsetNamespace }: ApplicationSetName, what: string, body?: unknown): Promise<T> {
    return this.#session.request(method, `/api/tiphys/v1/applicationsets/${encodeURIComponent(name)}/${what}`, {
      query: { appsetNamespace },
      ...(body === undefined ? {} : { body }),
    });
  }
}
