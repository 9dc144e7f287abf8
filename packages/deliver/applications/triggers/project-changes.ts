import { type Application, type AppProject, names } from '@tiphys/api';
import type { Client, Informer } from '@tiphys/kubernetes';
import { releaseProject } from '../projects/project-release.ts';
import { applicationKey } from '../spec/application-key.ts';
import type { TriggerParts } from './trigger-parts.ts';

interface ReleaseParts {
  readonly client: Client;
  readonly namespace: string;
  readonly projects: Informer<AppProject>;
  readonly applications: { list(): Iterable<Application>; state(): { readonly synced: boolean } };
  /** False in a process that only serves. */
  readonly delivers: boolean;
  readonly onError: (key: string, error: unknown) => void;
}

/** Lets deleted projects go that no application needs any more: a function of the project's name. */
export function projectReleaser(parts: ReleaseParts): (name: string) => void {
  const { client, namespace, projects, applications, delivers, onError } = parts;
  return (name) => {
    // an application that is not seen yet may still need it
    if (!delivers || !applications.state().synced) return;
    releaseProject(projects.get(namespace, name), applications.list(), client).catch((error: unknown) =>
      onError(`project ${name}`, error),
    );
  };
}

/** A change of a project wakes its applications; one of a global project those of all projects that it may rule. */
export function takeUpProject(
  { applications, controller, queue }: TriggerParts,
  project: AppProject,
  isGlobal: boolean,
): void {
  for (const application of applications.list()) {
    if (!isGlobal && (application.spec.project || names.defaults.project) !== project.metadata.name) continue;
    const key = applicationKey(application);
    controller.memoryOf(key).permissionsChanged();
    queue.add(key);
  }
}
