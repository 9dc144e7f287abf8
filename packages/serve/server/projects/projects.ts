import { type AppProject, names } from '@tiphys/api';
import { commaList, type EffectiveProject, ProjectDirectory } from '@tiphys/applications';
import { type Client, type Clock, Informer } from '@tiphys/kubernetes';
import type { ProjectRoles } from '../rbac/policy-book.ts';
import { type ControlPlane, decodeSecret } from '../settings/control-plane.ts';

const kind = { apiVersion: names.apiVersion, kind: 'AppProject' } as const;

const noRoles: ProjectRoles['roles'] = [];

/** The projects of the control plane: decisions use a copy kept by a watch, changes go to the API server. */
export class Projects {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #informer: Informer<AppProject>;
  readonly #directory: ProjectDirectory;

  constructor(plane: ControlPlane, clock: Clock) {
    const { client, namespace } = plane;
    this.#client = client;
    this.#namespace = namespace;
    const scoped = (type: string, project: string) =>
      plane
        .secretsOfType(type)
        .map(decodeSecret)
        .filter((data) => data.project === project);
    this.#directory = new ProjectDirectory({
      find: (name) => this.known(name),
      globalProjects: () => plane.configMap(names.configMaps.settings).globalProjects,
      repositories: (project) => scoped(names.secretTypes.repository, project).map(({ url = '' }) => url),
      clusters: (project) =>
        scoped(names.secretTypes.cluster, project).map(({ server = '', name = '', namespaces }) => ({
          server: server.replace(/(?<!\/)\/+$/, ''),
          name,
          namespaces: commaList(namespaces),
        })),
    });
    this.#informer = new Informer<AppProject>(client, { ref: { ...kind, namespace }, clock });
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#informer.start(signal);
    await this.#informer.synced;
  }

  /** As the watch last saw it. */
  known(name: string): AppProject | undefined {
    return this.#informer.get(this.#namespace, name);
  }

  /** The project with all rules that hold for its applications. Throws while nobody can say which do. */
  effective(project: AppProject): EffectiveProject {
    const problem = this.#directory.problem();
    if (problem?.fatal) throw problem.error;
    return this.#directory.effective(project);
  }

  /** The project with the rules of its global ones, and those. */
  virtual(project: AppProject): { project: AppProject; globals: AppProject[] } {
    return { project: this.#directory.virtual(project), globals: this.#directory.globals(project) };
  }

  /** What RBAC reads. */
  roles(name: string): ProjectRoles | undefined {
    const project = this.known(name);
    return project && { name, roles: project.spec.roles ?? noRoles };
  }

  /** Whether a role still lists a token, in its status or (as old versions stored it) in its spec. */
  async hasToken({
    project: name,
    role,
    issuedAt,
    id,
  }: {
    project: string;
    role: string;
    issuedAt: number;
    id: string;
  }): Promise<boolean> {
    const project = this.known(name) ?? (await this.find(name));
    const declared = project?.spec.roles?.find((candidate) => candidate.name === role);
    if (!declared) return false;
    const tokens = [...(project?.status?.jwtTokensByRole?.[role]?.items ?? []), ...(declared.jwtTokens ?? [])];
    return tokens.some(
      (token) => (id ? token.id === id : token.iat === issuedAt) || (!token.id && token.iat === issuedAt),
    );
  }

  /** As it is stored; throws NotFound. */
  async get(name: string): Promise<AppProject> {
    return { ...(await this.#client.get<AppProject>({ ...kind, namespace: this.#namespace, name })), ...kind };
  }

  async find(name: string): Promise<AppProject | undefined> {
    const found = await this.#client.find<AppProject>({ ...kind, namespace: this.#namespace, name });
    return found && { ...found, ...kind };
  }

  async list(): Promise<{ items: AppProject[]; resourceVersion: string }> {
    const list = await this.#client.list<AppProject>({ ...kind, namespace: this.#namespace });
    return { items: list.items, resourceVersion: list.metadata.resourceVersion ?? '' };
  }

  async create(project: AppProject): Promise<AppProject> {
    return await this.#settled(
      await this.#client.create<AppProject>({
        ...project,
        ...kind,
        metadata: { ...project.metadata, namespace: this.#namespace },
      }),
    );
  }

  async update(project: AppProject): Promise<AppProject> {
    return await this.#settled(
      await this.#client.update<AppProject>({
        ...project,
        ...kind,
        metadata: { ...project.metadata, namespace: this.#namespace },
      }),
    );
  }

  async delete(name: string): Promise<void> {
    await this.#client.delete({ ...kind, namespace: this.#namespace, name });
  }

  /** Waits, at most two seconds, until decisions see a change that was just made. */
  async #settled(project: AppProject): Promise<AppProject> {
    const seen = () =>
      (this.#informer.get(this.#namespace, project.metadata.name as string)?.metadata.resourceVersion ?? '') ===
      project.metadata.resourceVersion;
    if (seen()) return project;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, 2000);
      const unsubscribe = this.#informer.subscribe((change) => {
        if (change.object.metadata.name === project.metadata.name) done();
      });
      function done() {
        clearTimeout(timer);
        unsubscribe();
        resolve();
      }
    });
    return project;
  }
}
