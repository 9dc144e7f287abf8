import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type AppProject, type JWTToken, names, type services } from '@tiphys/api';
import { destinationDenial, isActive, sourceDenial, sourcesOf } from '@tiphys/applications';
import { isAlreadyExists, isConflict, isNotFound } from '@tiphys/kubernetes';
import { projectOf } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { deepLinks } from '../links/deep-links.ts';
import { missingProjectError } from '../projects/missing-project.ts';
import { validateProject } from '../projects/validate-project.ts';
import { sanitizedRepository } from '../repositories/repository-fields.ts';
import { eventListJson } from '../resources/event-json.ts';
import type { Call } from '../rpc/call.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { Code, invalidArgument, notFound, RpcError } from '../rpc/rpc-error.ts';

export function projectService(context: ServerContext): ServiceHandlers<typeof services.project> {
  const { projects, applications, sessions, clock, events, namespace, client, clusters, repositories } = context;
  const enforce = async (call: Call, action: string, name: string, resource = 'projects') =>
    (await context.enforcer()).enforce(call.identity, resource, action, name);

  /** Changes a project under optimistic locking. */
  const change = async (
    name: string,
    make: (project: AppProject) => AppProject | undefined | Promise<AppProject | undefined>,
  ): Promise<AppProject> => {
    for (let attempt = 0; ; attempt++) {
      const current = await projects.get(name);
      const changed = await make(current);
      if (!changed) return current;
      try {
        return await projects.update(changed);
      } catch (error) {
        if (attempt >= 10 || !isConflict(error)) throw error;
      }
    }
  };

  const found = async (name: string): Promise<AppProject> => {
    try {
      return await projects.get(name);
    } catch (error) {
      if (!isNotFound(error) && !(error instanceof RpcError && error.code === Code.NotFound)) throw error;
      throw missingProjectError(name);
    }
  };

  /** Members of a role may make its tokens even if they may not change the project. */
  const enforceToken = async (call: Call, project: AppProject, roleName: string) => {
    const role = project.spec.roles?.find((candidate) => candidate.name === roleName);
    if (!role) throw notFound(`project '${project.metadata.name}' does not have role '${roleName}'`);
    if (role.groups?.some((group) => call.identity?.groups.includes(group))) return;
    await enforce(call, 'update', project.metadata.name as string);
  };

  return {
    async list(_request, call) {
      const enforcer = await context.enforcer();
      const { items, resourceVersion } = await projects.list();
      return {
        metadata: { resourceVersion },
        items: items.filter((item) => enforcer.allows(call.identity, 'projects', 'get', item.metadata.name as string)),
      };
    },

    async get({ name = '' }, call) {
      await enforce(call, 'get', name);
      return shownTokens(await projects.get(name));
    },

    async getDetailedProject({ name = '' }, call) {
      await enforce(call, 'get', name);
      const project = shownTokens(await found(name));
      const scopedRepositories = (await repositories.list())
        .filter((item) => item.project === name)
        .map(sanitizedRepository);
      const scopedClusters = (await clusters.list())
        .filter((item) => item.project === name)
        .map(({ server, name: label, project: owner }) => ({ server, name: label, project: owner }));
      return {
        globalProjects: projects.virtual(project).globals,
        project: projects.virtual(project).project,
        repositories: scopedRepositories as { repo: string }[],
        clusters: scopedClusters,
      };
    },

    async getGlobalProjects({ name = '' }, call) {
      await enforce(call, 'get', name);
      return { items: projects.virtual(await projects.get(name)).globals };
    },

    async create({ project, upsert = false }, call) {
      if (!project) throw invalidArgument("missing payload 'project' in request");
      const name = project.metadata?.name ?? '';
      await enforce(call, 'create', name);
      const wanted = received(project, namespace);
      validateProject(wanted);
      try {
        const created = await projects.create(wanted);
        await events.record(created, 'ResourceCreated', call.identity?.subject, 'created project');
        return created;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const existing = await projects.get(name);
      if (!upsert) {
        if (isDeepStrictEqual(existing.spec, wanted.spec)) return existing;
        const keys = [...new Set([...Object.keys(existing.spec), ...Object.keys(wanted.spec)])].filter(
          (key) => !isDeepStrictEqual(existing.spec[key as 'roles'], wanted.spec[key as 'roles']),
        );
        throw invalidArgument(
          `existing project spec is different; use upsert flag to force update; difference in keys "${keys.map((key) => key.slice(0, 1).toUpperCase() + key.slice(1)).join(',')}"`,
        );
      }
      await enforce(call, 'update', name);
      const updated = await change(name, (current) => ({ ...current, spec: wanted.spec }));
      await events.record(updated, 'ResourceCreated', call.identity?.subject, 'created project');
      return updated;
    },

    async update({ project }, call) {
      if (!project) throw invalidArgument("missing payload 'project' in request");
      const name = project.metadata?.name ?? '';
      await enforce(call, 'update', name);
      const wanted = mirroredTokens(normalizedTokens(received(project, namespace)));
      validateProject(wanted);
      const old = await projects.get(name);
      await assertMayWiden(context, call, old, wanted);
      await assertAppsStayValid(context, old, wanted);
      const updated = await projects.update(wanted);
      await events.record(updated, 'ResourceUpdated', call.identity?.subject, 'updated project');
      return updated;
    },

    async delete({ name = '' }, call) {
      if (name === names.defaults.project) throw invalidArgument(`name '${name}' is reserved and cannot be deleted`);
      await enforce(call, 'delete', name);
      const project = await projects.get(name);
      const referring = applications.list().filter((app) => projectOf(app) === name).length;
      if (referring > 0) throw invalidArgument(`project is referenced by ${referring} applications`);
      await projects.delete(name);
      await events.record(project, 'ResourceDeleted', call.identity?.subject, 'deleted project');
      return {};
    },

    async createToken({ project: name = '', role = '', id = '', expiresIn = 0 }, call) {
      const tokenId = id || randomUUID();
      const iat = Math.floor(clock.now() / 1000);
      const exp = expiresIn > 0 ? iat + expiresIn : undefined;
      const updated = await change(name, async (current) => {
        validateProject(current);
        await enforceToken(call, current, role);
        const tokens = tokensOf(current, role);
        if (tokens.some((token) => token.id === tokenId))
          throw invalidArgument(`rpc error: code = InvalidArgument desc = Token id '${tokenId}' has been used. `);
        return withTokens(current, role, [...tokens, { iat, id: tokenId, ...(exp ? { exp } : {}) }]);
      });
      await events.record(updated, 'ResourceCreated', call.identity?.subject, 'created token');
      return { token: await sessions.sign(`proj:${name}:${role}`, expiresIn, tokenId, iat) };
    },

    async deleteToken({ project: name = '', role = '', iat = 0, id = '' }, call) {
      const updated = await change(name, async (current) => {
        if (!current.spec.roles?.some((candidate) => candidate.name === role)) return undefined;
        await enforceToken(call, current, role);
        const tokens = tokensOf(current, role);
        const kept = tokens.filter((token) => !(id ? token.id === id : token.iat === iat));
        return kept.length === tokens.length ? undefined : withTokens(current, role, kept);
      });
      await events.record(updated, 'ResourceDeleted', call.identity?.subject, 'deleted token');
      return {};
    },

    async listEvents({ name = '' }, call) {
      await enforce(call, 'get', name);
      const { metadata } = await projects.get(name);
      const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${metadata.uid},involvedObject.namespace=${namespace}`;
      return eventListJson(await client.list({ apiVersion: 'v1', kind: 'Event', namespace }, { fieldSelector }));
    },

    async getSyncWindowsState({ name = '' }, call) {
      await enforce(call, 'get', name);
      const { spec } = await projects.get(name);
      return { windows: (spec.syncWindows ?? []).filter((window) => isActive(window, clock.now())) };
    },

    async listLinks({ name = '' }, call) {
      if (!(await context.enforcer()).allows(call.identity, 'projects', 'get', name))
        throw new RpcError(Code.Unknown, `unauthorized access to project ${name}`);
      const { status: _tokens, ...project } = await projects.get(name);
      return deepLinks(context, 'project.links', { project });
    },
  };
}

/** A request's project as an object of the cluster; windows are given the time zone that they have anyway. */
function received(project: AppProject, namespace: string): AppProject {
  const { syncWindows, ...spec } = project.spec ?? {};
  return {
    ...project,
    apiVersion: names.apiVersion,
    kind: 'AppProject',
    metadata: { ...project.metadata, namespace },
    spec: syncWindows
      ? { ...spec, syncWindows: syncWindows.map((window) => ({ ...window, timeZone: window.timeZone || 'UTC' })) }
      : spec,
  };
}

/** With an entry in the status for every role, as upstream shows projects. */
function shownTokens(project: AppProject): AppProject {
  const normalized = normalizedTokens(project);
  if (!normalized.spec.roles?.length) return normalized;
  const jwtTokensByRole = Object.fromEntries(
    normalized.spec.roles.map(({ name }) => {
      const items = tokensOf(normalized, name);
      return [name, items.length > 0 ? { items } : {}];
    }),
  );
  return { ...normalized, status: { ...normalized.status, jwtTokensByRole } };
}

/** Tokens of old versions have no id; their time stands for it. */
function normalizedTokens(project: AppProject): AppProject {
  const withIds = (tokens: readonly JWTToken[] | undefined) =>
    (tokens ?? []).map((token) => ({ ...token, id: token.id || String(token.iat) }));
  const roles = project.spec.roles?.map((role) =>
    role.jwtTokens ? { ...role, jwtTokens: withIds(role.jwtTokens) } : role,
  );
  const byRole = project.status?.jwtTokensByRole;
  return {
    ...project,
    spec: roles ? { ...project.spec, roles } : project.spec,
    ...(byRole
      ? {
          status: {
            ...project.status,
            jwtTokensByRole: Object.fromEntries(
              Object.entries(byRole).map(([role, { items }]) => [role, { items: withIds(items) }]),
            ),
          },
        }
      : {}),
  };
}

function tokensOf(project: AppProject, role: string): JWTToken[] {
  const normalized = normalizedTokens(project);
  const stored = normalized.status?.jwtTokensByRole?.[role]?.items ?? [];
  const declared = normalized.spec.roles?.find((candidate) => candidate.name === role)?.jwtTokens ?? [];
  return [...stored, ...declared.filter((token) => !stored.some((other) => other.id === token.id))];
}

/** The tokens are kept in the status, and mirrored in the spec where old clients look; no list where none is left. */
function withTokens(project: AppProject, role: string, tokens: JWTToken[]): AppProject {
  const roles = (project.spec.roles ?? []).map((candidate) => {
    if (candidate.name !== role) return candidate;
    const { jwtTokens: _before, ...rest } = candidate;
    return tokens.length > 0 ? { ...rest, jwtTokens: tokens } : rest;
  });
  return {
    ...project,
    spec: { ...project.spec, roles },
    status: {
      ...project.status,
      jwtTokensByRole: { ...project.status?.jwtTokensByRole, [role]: tokens.length > 0 ? { items: tokens } : {} },
    },
  };
}

/** Every token in both places: who edits the spec alone takes no token away. */
function mirroredTokens(project: AppProject): AppProject {
  return (project.spec.roles ?? []).reduce((result, { name }) => {
    const tokens = tokensOf(result, name);
    return tokens.length > 0 ? withTokens(result, name, tokens) : result;
  }, project);
}

/** Who adds clusters, repositories or kinds to a project needs the right to update those clusters and repositories. */
async function assertMayWiden(context: ServerContext, call: Call, old: AppProject, wanted: AppProject): Promise<void> {
  const enforcer = await context.enforcer();
  const servers = (project: AppProject) =>
    [...new Set((project.spec.destinations ?? []).map(({ server }) => server ?? ''))].filter(Boolean);
  const lists = [
    'clusterResourceWhitelist',
    'clusterResourceBlacklist',
    'namespaceResourceWhitelist',
    'namespaceResourceBlacklist',
  ] as const;
  const kindsChanged = lists.some((list) => !isDeepStrictEqual(old.spec[list] ?? [], wanted.spec[list] ?? []));
  const added = kindsChanged ? servers(wanted) : servers(wanted).filter((server) => !servers(old).includes(server));
  for (const server of added) enforcer.enforce(call.identity, 'clusters', 'update', server);
  for (const repo of wanted.spec.sourceRepos ?? [])
    if (!old.spec.sourceRepos?.includes(repo)) enforcer.enforce(call.identity, 'repositories', 'update', repo);
}

async function assertAppsStayValid(
  { applications, clusters, projects }: ServerContext,
  old: AppProject,
  wanted: AppProject,
): Promise<void> {
  const name = wanted.metadata.name as string;
  const all = await clusters.list();
  const [before, after] = [projects.effective(old), projects.effective(wanted)];
  let sources = 0;
  let destinations = 0;
  for (const app of applications.list().filter((candidate) => projectOf(candidate) === name)) {
    const [first] = sourcesOf(app.spec);
    if (first && !sourceDenial(before, first) && sourceDenial(after, first)) sources += 1;
    const { server, name: clusterName, namespace = '' } = app.spec.destination;
    const cluster = all.find((candidate) => (server ? candidate.server === server : candidate.name === clusterName));
    const destination = cluster && { server: cluster.server, name: cluster.name, namespace };
    if (destination && !destinationDenial(before, destination) && destinationDenial(after, destination))
      destinations += 1;
  }
  const parts = [
    ...(sources ? [`${sources} applications source became invalid`] : []),
    ...(destinations ? [`${destinations} applications destination became invalid`] : []),
  ];
  if (parts.length > 0)
    throw new RpcError(Code.InvalidArgument, `as a result of project update ${parts.join(' and ')}`);
}
