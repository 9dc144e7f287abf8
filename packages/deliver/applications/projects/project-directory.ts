import type { AppProject } from '@tiphys/api';
import { type GlobalProject, globalProjectsOf, readGlobalProjects, withGlobalProjects } from './global-projects.ts';

/** A cluster that belongs to a project. */
export interface ScopedCluster {
  readonly server: string;
  readonly name: string;
  /** The namespaces that it is limited to; empty for all. */
  readonly namespaces: readonly string[];
}

/** A project with all rules that hold for its applications, its own first. */
export interface EffectiveProject extends AppProject {
  /** Clusters that belong to it; the only ones that `permitOnlyProjectScopedClusters` lets through. */
  readonly scopedClusters: readonly ScopedCluster[];
}

export interface ProjectSources {
  /** As it is stored. */
  readonly find: (name: string) => AppProject | undefined;
  /** `globalProjects` of argocd-cm. */
  readonly globalProjects: () => string | undefined;
  /** URLs of the repositories that belong to the project. */
  readonly repositories: (project: string) => readonly string[];
  readonly clusters: (project: string) => readonly ScopedCluster[];
}

/**
 * Projects as they bind applications. Upstream rule: repositories and clusters that belong to a project are permitted by it, and
 * the lists of the global projects that select it are appended to its own.
 * A setting of global projects that cannot be read leaves the last good one in force, and is reported by `problem`.
 */
export class ProjectDirectory {
  readonly #sources: ProjectSources;
  #lastGood: readonly GlobalProject[] | undefined;
  #read: { text: string | undefined; entries: readonly GlobalProject[]; problem: unknown } | undefined;

  constructor(sources: ProjectSources) {
    this.#sources = sources;
  }

  get(name: string): EffectiveProject | undefined {
    const project = this.#sources.find(name);
    return project && this.effective(project);
  }

  /** The same for a project as given, stored or not. */
  effective(project: AppProject): EffectiveProject {
    const { repositories, clusters } = this.#sources;
    const name = project.metadata.name ?? '';
    const scopedClusters = clusters(name);
    const scopedRepositories = repositories(name);
    const own: AppProject = {
      ...project,
      spec: {
        ...project.spec,
        ...(scopedRepositories.length > 0
          ? { sourceRepos: [...(project.spec.sourceRepos ?? []), ...scopedRepositories] }
          : {}),
        ...(scopedClusters.length > 0
          ? { destinations: [...(project.spec.destinations ?? []), ...scopedClusters.flatMap(destinationsOf)] }
          : {}),
      },
    };
    return { ...withGlobalProjects(own, this.globals(project)), scopedClusters };
  }

  /** The global projects whose rules hold for the project. */
  globals(project: AppProject): AppProject[] {
    return globalProjectsOf(project, this.#setting().entries, this.#sources.find);
  }

  /** A project with the rules of the global ones alone, as clients are shown it. */
  virtual(project: AppProject): AppProject {
    return withGlobalProjects(project, this.globals(project));
  }

  /** Why the setting cannot be read; `fatal` if no good one was ever seen, so that nothing may be permitted. */
  problem(): { readonly error: unknown; readonly fatal: boolean } | undefined {
    const { problem } = this.#setting();
    return problem === undefined ? undefined : { error: problem, fatal: this.#lastGood === undefined };
  }

  #setting(): { entries: readonly GlobalProject[]; problem: unknown } {
    const text = this.#sources.globalProjects();
    if (this.#read && this.#read.text === text) return this.#read;
    try {
      this.#lastGood = readGlobalProjects(text);
      this.#read = { text, entries: this.#lastGood, problem: undefined };
    } catch (error) {
      this.#read = { text, entries: this.#lastGood ?? [], problem: error };
    }
    return this.#read;
  }
}

function destinationsOf({ server, namespaces }: ScopedCluster): { server: string; namespace: string }[] {
  return namespaces.length === 0
    ? [{ server, namespace: '*' }]
    : namespaces.map((namespace) => ({ server, namespace }));
}
