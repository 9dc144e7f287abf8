import { type Rollout, rolloutNames } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { type Client, isConflict, type KubeObject } from '@tiphys/kubernetes';
import { isControlledBy } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';
import { type Promotion, promotionPatches, type VerbPatch } from './patches.ts';
import { notCreatable, notRestorable } from './refusals.ts';
import { withImage } from './set-image.ts';
import { isUndone, templateOfRevision, undoPatch } from './undo.ts';

/** An object of a verb, and how to reach it. */
export interface VerbTarget {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
}

const { apiVersion } = rolloutNames;
const attempts = 5;

/** Sends patches of a verb in their order. */
export async function sendPatches(
  { client, namespace, name }: VerbTarget,
  kind: 'Rollout' | 'Experiment' | 'AnalysisRun',
  patches: readonly VerbPatch[],
): Promise<void> {
  for (const { body, subresource } of patches)
    await client.patch({ apiVersion, kind, namespace, name }, 'merge', body, subresource ? { subresource } : {});
}

/** To the next step, or to the end. */
export async function promoteRollout(target: VerbTarget, promotion: Promotion): Promise<void> {
  const rollout = await rolloutOf(target);
  await sendPatches(target, 'Rollout', promotionPatches(rollout, promotion));
}

/** Puts back the template of an earlier revision, in the Rollout or in what it refers to; false if it is there already. */
export async function undoRollout(target: VerbTarget, revision: number): Promise<boolean> {
  const { client, namespace } = target;
  const rollout = await rolloutOf(target);
  const { items } = await client.list<ReplicaSet>({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
  const sets = items.filter((set) => isControlledBy(set, rollout));
  const { template } = templateOfRevision(rollout, sets, revision);
  if (isUndone(rollout, template)) return false;
  const owner = templateOwner(rollout, restorable);
  await client.patch(owner, 'json', undoPatch(owner.kind, template));
  return true;
}

/** Gives containers of the Rollout, or of the Deployment that it refers to, other images in one update; returns what was written. */
export async function setImage(
  target: VerbTarget,
  ...images: readonly { readonly container: string; readonly image: string }[]
): Promise<KubeObject> {
  for (let attempt = 1; ; attempt += 1) {
    const rollout = await rolloutOf(target);
    const { workloadRef } = rollout.spec;
    const object = workloadRef ? await target.client.get(templateOwner(rollout, ['Deployment'])) : rollout;
    try {
      const wanted = images.reduce<KubeObject>(
        (made, { container, image }) => withImage(made, container, image),
        object,
      );
      return await target.client.update(wanted);
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}

const creatable = ['Rollout', 'Experiment', 'AnalysisTemplate', 'ClusterAnalysisTemplate', 'AnalysisRun'];

/** Creates an object of Rollouts; fields that its kind does not have are refused. */
export async function createOfRollouts(
  { client, namespace }: Omit<VerbTarget, 'name'>,
  object: KubeObject,
  file: string,
): Promise<KubeObject> {
  const { kind, metadata } = object;
  if (object.apiVersion !== apiVersion || !creatable.includes(kind))
    throw failure(notCreatable, {
      message: `creates of ${object.apiVersion}/${kind} unsupported`,
      place: { file, object: `${kind} ${metadata?.name ?? ''}` },
      remedies: [`give one of ${creatable.join(', ')}, of ${apiVersion}`, `kubectl create -f ${file}`],
    });
  const place = kind === 'ClusterAnalysisTemplate' ? {} : { namespace: metadata?.namespace ?? namespace };
  return client.create({ ...object, metadata: { ...metadata, ...place } }, { fieldValidation: 'Strict' });
}

const restorable = ['Deployment', 'ReplicaSet', 'PodTemplate'];

async function rolloutOf({ client, namespace, name }: VerbTarget): Promise<Rollout> {
  return client.get<Rollout>({ apiVersion, kind: 'Rollout', namespace, name });
}

/** The object that has the template: the Rollout, or what it refers to if that is of one of the kinds. */
function templateOwner({ metadata, spec: { workloadRef } }: Rollout, kinds: readonly string[]) {
  const { namespace = '', name = '' } = metadata;
  if (!workloadRef) return { apiVersion, kind: 'Rollout', namespace, name };
  const { kind = '', name: of = '' } = workloadRef;
  if (!kinds.includes(kind))
    throw failure(notRestorable, {
      message: `${name} has its template from ${kind} ${of}, which this command does not change`,
      place: { object: `Rollout ${namespace}/${name}`, field: 'spec.workloadRef.kind' },
      remedies: [`change the template of ${kind} ${of} itself`, `refer to a ${kinds.join(' or a ')}`],
    });
  return { apiVersion: kind === 'PodTemplate' ? 'v1' : 'apps/v1', kind, namespace, name: of };
}
