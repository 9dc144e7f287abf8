import type { services } from '@tiphys/api';
import { sourceDenial } from '@tiphys/applications';
import type { ServerContext } from '../context/server-context.ts';
import { missingProjectError } from '../projects/missing-project.ts';
import { accessOf, type Purpose, rbacObject } from '../repositories/repositories.ts';
import {
  hasCredentials,
  type RepositoryJson,
  sanitizedRepository,
  withCredentials,
} from '../repositories/repository-fields.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import type { Call } from '../rpc/call.ts';
import { decodePart } from '../rpc/decode-part.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { Code, invalidArgument, notFound, permissionDenied, RpcError } from '../rpc/rpc-error.ts';
import { appDetails } from './app-details.ts';

interface RepoQuery {
  repo?: string | undefined;
  appProject?: string | undefined;
  forceRefresh?: boolean | undefined;
}
type AccessQuery = RepositoryJson & {
  repo?: string | undefined;
  project?: string | undefined;
  enableOci?: boolean | undefined;
  insecureOciForceHttp?: boolean | undefined;
};
type Repository = {
  repo?: string | undefined;
  project?: string | undefined;
  type?: string | undefined;
  name?: string | undefined;
};

const resources = { read: 'repositories', write: 'write-repositories' } as const;

export function repositoryService(context: ServerContext): ServiceHandlers<typeof services.repository> {
  const { repositories, backend, projects } = context;
  const read = recordsOf(context, 'read');
  const write = recordsOf(context, 'write');
  const test = async (json: RepositoryJson, signal: AbortSignal) => {
    const url = String(json.repo ?? '');
    await backend.testRepository(accessOf(withCredentials(json, await repositories.template(url))), signal);
  };
  const create: typeof read.create = async (request, call) => {
    const { repo } = request;
    return read.create(request, call, async () => {
      if (!repo?.project) await test(repo as RepositoryJson, call.signal);
    });
  };
  const validated = (request: AccessQuery) => {
    const { enableOci, insecureOciForceHttp, ...fields } = request;
    const repo = urlOf(request.repo);
    return { ...fields, repo, enableOCI: enableOci, insecureOCIForceHttp: insecureOciForceHttp } as RepositoryJson;
  };

  return {
    list: read.list,
    listRepositories: read.list,
    get: read.find,
    createRepository: create,
    create,
    updateRepository: read.update,
    update: read.update,
    deleteRepository: read.remove,
    delete: read.remove,

    listWriteRepositories: write.list,
    getWrite: write.find,
    updateWriteRepository: write.update,
    deleteWriteRepository: write.remove,

    async createWriteRepository(request, call) {
      const { repo } = request;
      return write.create(request, call, async () => {
        if (!hasCredentials(repo as RepositoryJson)) throw invalidArgument('missing credentials in request');
        await backend.testRepository(accessOf(repo as RepositoryJson), call.signal);
      });
    },

    async validateWriteAccess(request, call) {
      const object = rbacObject({ repo: urlOf(request.repo), project: request.project });
      (await context.enforcer()).enforce(call.identity, 'write-repositories', 'create', object);
      await backend.testRepository(accessOf(validated(request)), call.signal);
      return {};
    },

    async validateAccess(request, call) {
      const repo = urlOf(request.repo);
      (await context.enforcer()).enforce(
        call.identity,
        'repositories',
        'create',
        rbacObject({ repo, project: request.project }),
      );
      assertType(request.type);
      await test(validated(request), call.signal);
      return {};
    },

    async listRefs(request, call) {
      const json = await readable(context, call, request);
      const refs = await backend.refs(
        accessOf(withCredentials(json, await repositories.template(String(json.repo)))),
        call.signal,
      );
      return { branches: [...refs.branches], tags: [...refs.tags] };
    },

    async getHelmCharts(request, call) {
      const json = await readable(context, call, request);
      const charts = await backend.charts(
        accessOf(withCredentials(json, await repositories.template(String(json.repo)))),
        call.signal,
      );
      return { items: charts.map(({ name, versions }) => ({ name, versions: [...versions] })) };
    },

    async listOCITags(request, call) {
      const json = await readable(context, call, request);
      const tags = await backend.tags(
        accessOf(withCredentials(json, await repositories.template(String(json.repo)))),
        call.signal,
      );
      return { tags: [...tags] };
    },

    async listApps(request, call) {
      const json = await readable(context, call, request);
      const enforcer = await context.enforcer();
      const object = `${request.appProject ?? ''}/${request.appName ?? ''}`;
      if (
        !enforcer.allows(call.identity, 'applications', 'create', object) &&
        !enforcer.allows(call.identity, 'applications', 'update', object)
      )
        throw permissionDenied();
      const project = projects.known(request.appProject ?? '');
      if (!project) throw missingProjectError(request.appProject ?? '');
      if (sourceDenial(projects.effective(project), { repoURL: String(json.repo) }))
        throw permissionDenied(
          `repository '${request.repo ?? ''}' not permitted in project '${request.appProject ?? ''}'`,
        );
      const found = await backend.discover(
        accessOf(withCredentials(json, await repositories.template(String(json.repo)))),
        request.revision ?? '',
        call.signal,
      );
      return { items: found.map(({ path, type }) => ({ path, type })) };
    },

    async getAppDetails(request, call) {
      if (!request.source) throw invalidArgument('missing payload in request');
      const source = { ...request.source, repoURL: urlOf(request.source.repoURL) };
      await readable(context, call, { repo: source.repoURL, appProject: request.appProject });
      return appDetails(context, { ...request, source }, call);
    },
  };
}

/** Stored repositories of one purpose: what the API does with them after asking whether the caller may. */
function recordsOf(context: ServerContext, purpose: Purpose) {
  const { repositories, repositoryChecks } = context;
  const resource = resources[purpose];
  const kind = purpose === 'read' ? 'repository' : 'writeRepository';
  const listAll = async (request: RepoQuery, call: Call) => {
    const enforcer = await context.enforcer();
    const visible = (await repositories.list(purpose)).filter((json) =>
      enforcer.allows(call.identity, resource, 'get', rbacObject(json)),
    );
    const items = await Promise.all(
      visible.map(async (json) => ({
        ...sanitizedRepository(withCredentials(json, await repositories.template(String(json.repo ?? ''), purpose))),
        connectionState: (await repositoryChecks.connection(json, request.forceRefresh ?? false, call.signal)).state,
      })),
    );
    return items.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) as (Repository & RepositoryJson)[];
  };
  /** One that the caller may see; two with the same URL are told apart by project. */
  const find = async (request: RepoQuery, call: Call) => {
    const same = (await listAll(request, call)).filter((item) => sameRepository(item.repo ?? '', urlOf(request.repo)));
    if (same.length === 0) throw permissionDenied();
    const found =
      same.length === 1 && !request.appProject
        ? same[0]
        : same.find((item) => (item.project ?? '') === (request.appProject ?? ''));
    if (found) return found;
    throw new RpcError(
      Code.Unknown,
      `repository not found for url "${request.repo ?? ''}" and project "${request.appProject ?? ''}"`,
    );
  };
  return {
    find,
    list: async (request: RepoQuery, call: Call) => ({ items: await listAll(request, call) }),

    async create(
      { repo, upsert }: { repo?: Repository | undefined; upsert?: boolean | undefined },
      call: Call,
      check: () => Promise<void> = async () => undefined,
    ) {
      if (!repo) throw invalidArgument('missing payload in request');
      (await context.enforcer()).enforce(call.identity, resource, 'create', rbacObject(repo));
      assertUrl(repo.repo);
      assertType(repo.type);
      await check();
      await repositories.create(kind, repo as RepositoryJson, upsert ?? false);
      return { repo: repo.repo, type: repo.type, name: repo.name };
    },

    async update({ repo }: { repo?: Repository | undefined }, call: Call) {
      if (!repo) throw invalidArgument('missing payload in request');
      const enforcer = await context.enforcer();
      const existing = await repositories.find(repo.repo ?? '', repo.project ?? '', true, purpose);
      // who may not change it there learns nothing about what exists
      if (!existing) {
        if (!enforcer.allows(call.identity, resource, 'update', rbacObject(repo))) throw permissionDenied();
        throw notFound(`repo '${repo.repo ?? ''}' not found`);
      }
      enforcer.enforce(call.identity, resource, 'update', rbacObject(existing));
      enforcer.enforce(call.identity, resource, 'update', rbacObject(repo));
      await repositories.update(kind, repo as RepositoryJson);
      return { repo: repo.repo, type: repo.type, name: repo.name };
    },

    async remove(request: RepoQuery, call: Call) {
      const found = await find(request, call);
      (await context.enforcer()).enforce(call.identity, resource, 'delete', rbacObject(found));
      await repositories.delete(kind, found.repo ?? '', found.project ?? '');
      return {};
    },
  };
}

/** What a browser would run, or git would read as an option, is no address of a repository (CVE-2025-47933, CVE-2020-5260). */
function assertUrl(url = ''): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const script = scheme !== undefined && ['javascript', 'data', 'vbscript'].includes(scheme);
  if (script || url.startsWith('-') || /[\u0000-\u0020\u007f]|%0[0ad]/i.test(url))
    throw invalidArgument('the URL of the repository is not one: it has a scheme or characters that are not allowed');
}

function assertType(type = ''): void {
  if (type && !['git', 'helm', 'oci'].includes(type))
    throw new RpcError(Code.Unknown, `unsupported repository type "${type}"`);
}

/** The repository, declared or not, if the caller may read it. */
async function readable(
  { repositories, enforcer }: ServerContext,
  call: Call,
  request: RepoQuery,
): Promise<RepositoryJson> {
  const url = urlOf(request.repo);
  const json = (await repositories.find(url, request.appProject ?? '', true)) ?? { repo: url };
  (await enforcer()).enforce(call.identity, 'repositories', 'get', rbacObject(json));
  return json;
}

/** Paths carry URLs percent-encoded, some clients twice. */
function urlOf(text: string | undefined): string {
  return text?.includes('%2F') || text?.includes('%3A') ? decodePart(text) : (text ?? '');
}

function sortKey(item: RepositoryJson): string {
  return `${item.project ?? ''}/${item.repo}`;
}
