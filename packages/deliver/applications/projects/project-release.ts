import { type Application, type AppProject, names } from '@tiphys/api';
import { type Client, isConflict, isNotFound } from '@tiphys/kubernetes';

/**
 * Lets a deleted project go: removes its finalizer once no application refers to it, as upstream. Call it whenever the
 * project or its applications change; it writes only then. A conflict is left to the change that it comes from.
 */
export async function releaseProject(
  project: AppProject | undefined,
  applications: Iterable<Application>,
  client: Client,
): Promise<void> {
  const { metadata } = project ?? {};
  const finalizers = metadata?.finalizers ?? [];
  if (!project || !metadata?.deletionTimestamp || !finalizers.includes(names.finalizers.resources)) return;
  for (const { spec } of applications) if ((spec.project || 'default') === metadata.name) return;
  try {
    await client.patch(
      {
        apiVersion: project.apiVersion,
        kind: project.kind,
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
      },
      'merge',
      {
        metadata: {
          resourceVersion: metadata.resourceVersion,
          finalizers: finalizers.filter((finalizer) => finalizer !== names.finalizers.resources),
        },
      },
    );
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
