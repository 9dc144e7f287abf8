import { workflowNames } from '@tiphys/api';
import { parseDocuments } from '@tiphys/yaml';
import type { ArtifactRepository } from '../model/types.ts';
import { OperationError } from './halt.ts';
import type { Operation } from './operation.ts';

type Reference = NonNullable<Operation['status']['artifactRepositoryRef']>;

/**
 * Finds the artifact repository once, and keeps in the status which it is: the one that the workflow names, the annotated default of
 * the namespace's ConfigMap `artifact-repositories`, or the installation's. Throws an `OperationError`.
 */
export function setRepository(op: Operation): void {
  op.status.artifactRepositoryRef ??= findRepository({
    wanted: op.spec.artifactRepositoryRef,
    namespace: op.namespace,
    found: op.facts.configMap(op.namespace, repositoriesMap(op.spec.artifactRepositoryRef)),
    usual: op.facts.settings.artifactRepository,
  });
  const reference = op.status.artifactRepositoryRef;
  op.repository = reference.artifactRepository ?? op.facts.settings.artifactRepository;
}

/** The ConfigMap of a namespace that may hold its repositories. */
export function repositoriesMap(wanted: { readonly configMap?: string } | undefined): string {
  return wanted?.configMap || 'artifact-repositories';
}

/** The repository of workflows in a namespace. `found` is the ConfigMap that `repositoriesMap` names. Throws an `OperationError`. */
export function findRepository({
  wanted,
  namespace,
  found,
  usual,
}: {
  readonly wanted: { readonly configMap?: string; readonly key?: string } | undefined;
  readonly namespace: string;
  readonly found:
    | { readonly metadata: { readonly annotations?: Record<string, string> }; readonly data?: Record<string, string> }
    | undefined;
  readonly usual: ArtifactRepository | undefined;
}): Reference {
  const configMap = repositoriesMap(wanted);
  const key = wanted?.key || found?.metadata.annotations?.[workflowNames.annotations.defaultRepository];
  const text = key === undefined ? undefined : found?.data?.[key];
  if (key !== undefined && text !== undefined) {
    const artifactRepository = parse(text, `ConfigMap ${namespace}/${configMap}, ${key}`);
    return { namespace, configMap, key, artifactRepository };
  }
  if (wanted) {
    const what = found ? `key "${key ?? ''}" in ConfigMap ${configMap}` : `ConfigMap ${configMap}`;
    throw new OperationError(`failed to resolve artifact repository: ${what} does not exist`);
  }
  return { default: true, ...(usual ? { artifactRepository: usual } : { artifactRepository: {} }) };
}

function parse(text: string, where: string): ArtifactRepository {
  try {
    return (parseDocuments(text, { file: where }).documents[0]?.value ?? {}) as unknown as ArtifactRepository;
  } catch (error) {
    throw new OperationError(`failed to get artifact repository: ${(error as Error).message}`);
  }
}
