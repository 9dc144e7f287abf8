import { type flow, workflowNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { Code, notFound, RpcError } from '@tiphys/server';
import { findRepository, repositoriesMap, repositoryLocation } from '@tiphys/workflows';
import type { FlowCall } from '../common/caller.ts';
import { isOfInstance } from '../common/labels.ts';
import type { ServerParts } from '../common/server-parts.ts';

export type StoredTemplate = KubeObject & { readonly spec?: flow.WorkflowSpec };

/** A WorkflowTemplate of this installation; a ClusterWorkflowTemplate without `namespace`. Throws NotFound. */
export async function readTemplate(
  { client, signal }: FlowCall,
  { namespace, name }: { namespace?: string; name: string },
  { settings }: Pick<ServerParts, 'settings'>,
): Promise<StoredTemplate> {
  const kind = namespace === undefined ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate';
  const ref = { apiVersion: workflowNames.apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const found = (await client.find(ref, { signal })) as StoredTemplate | undefined;
  if (!found || !isOfInstance(found, settings.instanceId)) throw notFound(`${kind} "${name}" not found`);
  return found;
}

export interface TemplateRepository {
  /** Undefined where the installation has none. */
  readonly location: flow.ArtifactLocation | undefined;
  readonly isInstallations: boolean;
}

/** Where artifacts of workflows of a template go that say nothing else, as the controller decides it. Throws FailedPrecondition. */
export async function repositoryOf(
  { client, signal }: FlowCall,
  { namespace, template }: { namespace: string; template: StoredTemplate },
  { settings }: Pick<ServerParts, 'settings'>,
): Promise<TemplateRepository> {
  const wanted = template.spec?.artifactRepositoryRef as { configMap?: string; key?: string } | undefined;
  const name = repositoriesMap(wanted);
  const found = await client.find<KubeObject & { data?: Record<string, string> }>(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
    { signal },
  );
  const usual = settings.artifactRepository as flow.ArtifactRepository;
  try {
    const reference = findRepository({ wanted, namespace, found, usual });
    return {
      location: repositoryLocation(reference.artifactRepository),
      isInstallations: reference.default === true,
    };
  } catch (error) {
    throw new RpcError(Code.FailedPrecondition, (error as Error).message, { cause: error });
  }
}
