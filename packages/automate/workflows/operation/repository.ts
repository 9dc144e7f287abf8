import { workflowNames } from '@tiphys/api';
import { parseDocuments } from '@tiphys/yaml';
import type { ArtifactRepository } from '../model/types.ts';
import { OperationError } from './halt.ts';
import type { Operation } from './operation.ts';

/**
 * Finds the artifact repository once, and keeps in the status which it is: the one that the workflow names, the annotated default of
 * the namespace's ConfigMap `artifact-repositories`, or the installation's. Throws an `OperationError`.
 */
export function setRepository(op: Operation): void {
  op.status.artifactRepositoryRef ??= findReference(op);
  const reference = op.status.artifactRepositoryRef;
  op.repository = reference.artifactRepository ?? op.facts.settings.artifactRepository;
}

function findReference(op: Operation): NonNullable<Operation['status']['artifactRepositoryRef']> {
  const wanted = op.spec.artifactRepositoryRef;
  const configMap = wanted?.configMap || 'artifact-repositories';
  const found = op.facts.configMap(op.namespace, configMap);
  const key = wanted?.key || found?.metadata.annotations?.[workflowNames.annotations.defaultRepository];
  const text = key === undefined ? undefined : found?.data?.[key];
  if (key !== undefined && text !== undefined) {
    const artifactRepository = parse(text, `ConfigMap ${op.namespace}/${configMap}, ${key}`);
    return { namespace: op.namespace, configMap, key, artifactRepository };
  }
  if (wanted) {
    const what = found ? `key "${key ?? ''}" in ConfigMap ${configMap}` : `ConfigMap ${configMap}`;
    throw new OperationError(`failed to resolve artifact repository: ${what} does not exist`);
  }
  const fallback = op.facts.settings.artifactRepository;
  return { default: true, ...(fallback ? { artifactRepository: fallback } : { artifactRepository: {} }) };
}

function parse(text: string, where: string): ArtifactRepository {
  try {
    return (parseDocuments(text, { file: where }).documents[0]?.value ?? {}) as unknown as ArtifactRepository;
  } catch (error) {
    throw new OperationError(`failed to get artifact repository: ${(error as Error).message}`);
  }
}
