import { type Experiment, type ExperimentTemplate, rolloutNames } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { create, refOf, write } from '../cluster/cluster.ts';
import { isControlledBy, ownedBy } from '../objects/kinds.ts';
import { annotationOf, hasScaleDownDeadline, type ReplicaSet, untilScaleDown, wanted } from '../objects/replica-set.ts';
import { podTemplateHash, readablePodTemplate } from '../template/hashes.ts';
import { isSameTemplate } from '../template/same-template.ts';
import type { ExperimentPass } from './context.ts';
import { templateStatusOf } from './experiment-state.ts';

const { annotations, labels } = rolloutNames;

/** The ReplicaSets of an Experiment by the names of their templates. */
export function templateSets(pass: ExperimentPass): Map<string, ReplicaSet> {
  const { metadata, spec } = pass.before;
  const names = new Set(spec.templates.map(({ name }) => name));
  const sets = new Map<string, ReplicaSet>();
  for (const set of pass.context.cluster.replicaSets.inNamespace(metadata.namespace ?? '')) {
    if (!isControlledBy(set, pass.before) || annotationOf(set, annotations.experimentName) !== metadata.name) continue;
    const name = annotationOf(set, annotations.experimentTemplateName);
    if (name && names.has(name)) sets.set(name, set);
  }
  return sets;
}

/** Makes the ReplicaSet of a template; undefined if another one of its name stands in the way. */
export async function makeTemplateSet(
  pass: ExperimentPass,
  template: ExperimentTemplate,
): Promise<ReplicaSet | undefined> {
  const { client, replicaSets } = pass.context.cluster;
  const set = newSet(pass.before, template);
  try {
    return await create(client, replicaSets, set);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const existing = await client.find<ReplicaSet>(refOf(set));
  const isOurs =
    existing &&
    isControlledBy(existing, pass.before) &&
    annotationOf(existing, annotations.experimentTemplateName) === template.name &&
    isSameTemplate(existing.spec.template ?? {}, set.spec.template ?? {});
  return isOurs ? replicaSets.keep(existing) : undefined;
}

function newSet(experiment: Experiment, template: ExperimentTemplate): ReplicaSet {
  const readable = readablePodTemplate(template.template);
  const { [labels.podTemplateHash]: _, ...own } = readable.metadata?.labels ?? {};
  const bare = { ...readable, metadata: { ...readable.metadata, labels: own } };
  const hash = podTemplateHash(bare, templateStatusOf(experiment.status, template.name)?.collisionCount);
  const podLabels = { ...own, [labels.podTemplateHash]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${experiment.metadata.name}-${template.name}`,
      namespace: experiment.metadata.namespace ?? '',
      labels: podLabels,
      annotations: {
        [annotations.experimentName]: experiment.metadata.name ?? '',
        [annotations.experimentTemplateName]: template.name,
      },
      ownerReferences: ownedBy(experiment),
    },
    spec: {
      // its Service comes before its pods
      replicas: 0,
      ...(template.minReadySeconds ? { minReadySeconds: template.minReadySeconds } : {}),
      selector: {
        ...template.selector,
        matchLabels: { ...template.selector?.matchLabels, [labels.podTemplateHash]: hash },
      },
      template: { ...bare, metadata: { ...bare.metadata, labels: podLabels } },
    },
  };
}

/** Scales a template's ReplicaSet; to nothing only when its delay is over. Gives it as it is then. */
export async function scaleTemplateSet(
  pass: ExperimentPass,
  set: ReplicaSet,
  { count, full }: { count: number; full: number },
): Promise<ReplicaSet | undefined> {
  const delayed = count === 0 ? await withDeadline(pass, set) : set;
  if (!delayed || wanted(delayed) === count) return delayed;
  const left = count === 0 ? untilScaleDown(delayed, pass.clock.now()) : undefined;
  if (left !== undefined) pass.requeueIn(left);
  const target = left === undefined ? count : full;
  const before = wanted(delayed);
  if (before === target) return delayed;
  const { client, replicaSets } = pass.context.cluster;
  const after = { ...delayed, spec: { ...delayed.spec, replicas: target } };
  const stored = await write(client, replicaSets, { before: delayed, after });
  pass.context.tell(pass.before, {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${before < target ? 'up' : 'down'} ReplicaSet ${set.metadata.name} from ${before} to ${target}`,
  });
  return stored;
}

async function withDeadline(pass: ExperimentPass, set: ReplicaSet): Promise<ReplicaSet | undefined> {
  const seconds = pass.before.spec.scaleDownDelaySeconds ?? 30;
  if (hasScaleDownDeadline(set) === seconds > 0) return set;
  const { [annotations.scaleDownDeadline]: _, ...rest } = set.metadata.annotations ?? {};
  const deadline = { [annotations.scaleDownDeadline]: timestamp(pass.clock.now() + seconds * 1000) };
  const after = {
    ...set,
    metadata: { ...set.metadata, annotations: seconds > 0 ? { ...rest, ...deadline } : rest },
  };
  const { client, replicaSets } = pass.context.cluster;
  return write(client, replicaSets, { before: set, after });
}
