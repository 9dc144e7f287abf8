import type { services } from '@tiphys/api';
import { sourceDenial } from '@tiphys/applications';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { sameRepository } from '../repositories/normalize-url.ts';
import { accessOf } from '../repositories/repositories.ts';
import { type RepositoryJson, sanitizedRepository, withCredentials } from '../repositories/repository-fields.ts';
import type { Call } from '../rpc/call.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { Code, invalidArgument, permissionDenied, RpcError } from '../rpc/rpc-error.ts';
import type { ServerContext } from '../server-context.ts';
import { rfc3339 } from '../settings/initialize.ts';

interface RepoQuery {
  repo?: string | undefined;
  appProject?: string | undefined;
  forceRefresh?: boolean | undefined;
}
type Repository = {
  repo?: string | undefined;
  project?: string | undefined;
  type?: string | undefined;
  name?: string | undefined;
};

/** How long the state of a connection is believed, in milliseconds. */
const believed = 60_000;

export function repositoryService(context: ServerContext): ServiceHandlers<typeof services.repository> {
  const { repositories, backend, clock, projects } = context;
  const states = new Map<string, { state: Record<string, unknown>; at: number }>();

  const test = async (json: RepositoryJson, signal: AbortSignal) => {
    const url = String(json.repo ?? '');
    await backend.testRepository(accessOf(withCredentials(json, await repositories.template(url))), signal);
  };

  const connectionState = async (json: RepositoryJson, force: boolean, signal: AbortSignal) => {
    const key = `${json.project ?? ''}|${json.repo}|${JSON.stringify(json)}`;
    const known = states.get(key);
    if (known && !force && clock.now() - known.at < believed) return known.state;
    const attemptedAt = rfc3339(clock.now());
    const state = await test(json, signal).then(
      () => ({ status: 'Successful', message: '', attemptedAt }),
      (error: unknown) => ({
        status: 'Failed',
        message: `Unable to connect to repository: ${formatDiagnosis(diagnosisOf(error))}`,
        attemptedAt,
      }),
    );
    if (states.size > 10_000) states.clear();
    states.set(key, { state, at: clock.now() });
    return state;
  };

  const listAll = async (request: RepoQuery, call: Call) => {
    const enforcer = await context.enforcer();
    const visible = (await repositories.list()).filter((json) =>
      enforcer.allows(call.identity, 'repositories', 'get', rbacObject(json)),
    );
    const items = await Promise.all(
      visible.map(async (json) => ({
        ...sanitizedRepository(withCredentials(json, await repositories.template(String(json.repo ?? '')))),
        connectionState: await connectionState(json, request.forceRefresh ?? false, call.signal),
      })),
    );
    return items.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) as (Repository & RepositoryJson)[];
  };

  /** One that the caller may see; two with the same URL are told apart by project. */
  const findVisible = async (request: RepoQuery, call: Call) => {
    const same = (await listAll(request, call)).filter((item) => sameRepository(item.repo ?? '', urlOf(request.repo)));
    if (same.length === 0) throw permissionDenied();
    const found =
      same.length === 1 && !request.appProject
        ? same[0]
        : same.find((item) => (item.project ?? '') === (request.appProject ?? ''));
    if (!found)
      throw new RpcError(
        Code.Unknown,
        `repository not found for url "${request.repo ?? ''}" and project "${request.appProject ?? ''}"`,
      );
    return found;
  };

  const create = async (request: { repo?: Repository | undefined; upsert?: boolean | undefined }, call: Call) => {
    const { repo } = request;
    if (!repo) throw invalidArgument('missing payload in request');
    (await context.enforcer()).enforce(call.identity, 'repositories', 'create', rbacObject(repo));
    if (!repo.project) await test(repo as RepositoryJson, call.signal);
    await repositories.create('repository', repo as RepositoryJson, request.upsert ?? false);
    return { repo: repo.repo, type: repo.type, name: repo.name };
  };

  const update = async ({ repo }: { repo?: Repository | undefined }, call: Call) => {
    if (!repo) throw invalidArgument('missing payload in request');
    const enforcer = await context.enforcer();
    const existing = await repositories.find(repo.repo ?? '', repo.project ?? '', true);
    if (!existing) throw permissionDenied();
    enforcer.enforce(call.identity, 'repositories', 'update', rbacObject(existing));
    enforcer.enforce(call.identity, 'repositories', 'update', rbacObject(repo));
    await repositories.update('repository', repo as RepositoryJson);
    return { repo: repo.repo, type: repo.type, name: repo.name };
  };

  const remove = async (request: RepoQuery, call: Call) => {
    const found = await findVisible(request, call);
    (await context.enforcer()).enforce(call.identity, 'repositories', 'delete', rbacObject(found));
    await repositories.delete('repository', found.repo ?? '', found.project ?? '');
    return {};
  };

  const list = async (request: RepoQuery, call: Call) => ({ items: await listAll(request, call) });

  return {
    list,
    listRepositories: list,
    get: findVisible,
    createRepository: create,
    create,
    updateRepository: update,
    update,
    deleteRepository: remove,
    delete: remove,

    async validateAccess(request, call) {
      const repo = urlOf(request.repo);
      (await context.enforcer()).enforce(
        call.identity,
        'repositories',
        'create',
        rbacObject({ repo, project: request.project }),
      );
      const { enableOci, insecureOciForceHttp, ...fields } = request;
      await test(
        { ...fields, repo, enableOCI: enableOci, insecureOCIForceHttp: insecureOciForceHttp } as RepositoryJson,
        call.signal,
      );
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
      if (!project || sourceDenial(projects.effective(project), { repoURL: String(json.repo) }))
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
  };
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
  return text?.includes('%2F') || text?.includes('%3A') ? decodeURIComponent(text) : (text ?? '');
}

function rbacObject({ repo, project }: { repo?: unknown; project?: unknown }): string {
  return project ? `${String(project)}/${String(repo ?? '')}` : String(repo ?? '');
}

function sortKey(item: RepositoryJson): string {
  return `${item.project ?? ''}/${item.repo}`;
}
