import { workflowNames } from '@tiphys/api';
import { openStore } from '@tiphys/artifacts';
import type { KubeObject } from '@tiphys/kubernetes';
import { accessOf, placeIn } from '../outputs/artifact-place.ts';
import type { Artifact, ArtifactLocation } from '../pod/template.ts';
import { messageOf } from '../pod/termination-log.ts';
import { Problems, type Work } from '../work/work.ts';

interface ArtifactTask extends KubeObject {
  spec?: {
    artifactsByNode?: Record<string, { archiveLocation?: ArtifactLocation; artifacts?: Record<string, Artifact> }>;
  };
}

interface Deletion {
  readonly name: string;
  readonly success: boolean;
  readonly error?: string;
}

const kind = 'WorkflowArtifactGCTask';
const { apiVersion, labels } = workflowNames;
const attempts = 5;

/** `artifact delete`: deletes the artifacts of this pod's tasks and says of each how that went. */
export async function artifactDelete(work: Work): Promise<void> {
  const { cluster, env, report } = work;
  const hash = env.ARGO_ARTIFACT_POD_NAME;
  if (!hash) return;
  const problems = new Problems();
  const tasks = await cluster.client.list<ArtifactTask>(
    { apiVersion, kind, namespace: cluster.namespace },
    { labelSelector: `${labels.artifactGCPod}=${hash}` },
  );
  for (const task of tasks.items) await problems.try(() => doTask(work, task));
  if (work.context.nodeId) await problems.try(() => report.complete());
  problems.throwFirst();
}

async function doTask(work: Work, { metadata, spec }: ArtifactTask): Promise<void> {
  const artifactResultsByNode: Record<string, { artifactResults: Record<string, Deletion> }> = {};
  for (const [node, { archiveLocation, artifacts = {} }] of Object.entries(spec?.artifactsByNode ?? {})) {
    const artifactResults: Record<string, Deletion> = {};
    for (const artifact of Object.values(artifacts))
      artifactResults[artifact.name] = await remove(work, artifact, archiveLocation);
    artifactResultsByNode[node] = { artifactResults };
  }
  const { name = '', namespace } = metadata;
  await work.cluster.client.patch(
    { apiVersion, kind, name, ...(namespace ? { namespace } : {}) },
    'merge',
    { status: { artifactResultsByNode } },
    { subresource: 'status' },
  );
}

async function remove(
  { context, signal, clock }: Work,
  artifact: Artifact,
  archive: ArtifactLocation | undefined,
): Promise<Deletion> {
  const { name } = artifact;
  for (let attempt = 1; ; attempt++) {
    try {
      const store = await openStore(placeIn(artifact, archive).location, accessOf(context, signal));
      try {
        await store.remove();
      } finally {
        await store.close();
      }
      return { name, success: true };
    } catch (error) {
      if (attempt >= attempts) return { name, success: false, error: messageOf(error) };
      await clock.sleep(200 * 2 ** attempt, signal);
    }
  }
}
