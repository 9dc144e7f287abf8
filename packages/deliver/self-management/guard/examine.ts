import type { GuardedStep } from '@tiphys/applications';
import { isOwnPart } from '@tiphys/engine';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { definitionLosses, feltLosses } from '../prove/definition-losses.ts';
import { settingsLosses } from '../prove/settings-losses.ts';
import { kinds } from '../state/diagnoses.ts';
import type { Finding } from '../state/state.ts';
import type { PodTemplate } from './objects.ts';
import { podsOf, restartsOf } from './processes.ts';
import { asBefore, type GuardRecord, placeOf } from './record.ts';

interface Examined {
  readonly record: GuardRecord;
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly images: { readonly from: string; readonly to: string };
}

/** What the manifests of a version say before anything of it runs, and what is there now. */
export async function examine({
  client,
  namespace,
  controller,
  step,
}: {
  readonly client: Client;
  readonly namespace: string;
  /** The workload that delivers. */
  readonly controller: { readonly live: KubeObject; readonly desired: KubeObject };
  readonly step: GuardedStep;
}): Promise<Examined> {
  const { comparison, plan, signal } = step;
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const resource of comparison.resources) {
    const { live, desired } = resource;
    if (!live || !desired || !isOwnPart(live, namespace)) continue;
    if (live.kind === 'CustomResourceDefinition') {
      const { felt, unused } = await feltLosses(client, live, definitionLosses(live, desired), signal);
      for (const { field, objects } of felt)
        findings.push({
          code: kinds.definitionDropsFields.code,
          message: `${field} would be dropped, and ${objects.join(', ')} have it`,
        });
      if (unused.length > 0) notes.push(`No object has what the definition loses: ${unused.slice(0, 10).join(', ')}`);
    }
    if (live.kind !== 'Secret' && live.kind !== 'ConfigMap') continue;
    const lost = settingsLosses(resource);
    if (lost.length === 0) continue;
    const words = `${live.kind} ${live.metadata.name} would lose ${lost.join(', ')}`;
    if (live.kind === 'Secret') findings.push({ code: kinds.settingsDropped.code, message: words });
    else notes.push(words);
  }
  const changed = plan.tasks.filter(
    ({ action, inSync }) => action !== 'skip-prune' && action !== 'unchanged' && !inSync,
  );
  const desired = comparison.resources.flatMap((resource) => resource.desired ?? []);
  const workloads = desired.filter(
    (object) => (object.kind === 'Deployment' || object.kind === 'StatefulSet') && isOwnPart(object, namespace),
  );
  const [running, candidate] = [templateOf(controller.live), templateOf(controller.desired)];
  return {
    record: {
      before: changed.flatMap(({ live }) => (live ? asBefore(live) : [])),
      added: changed.flatMap(({ live, desired: object }) => (!live && object ? placeOf(object) : [])),
      running,
      candidate,
      restarts: await restarts(client, namespace, workloads),
      processes: workloads.map(placeOf),
      rights: desired.filter(({ kind }) => /^(Cluster)?Role(Binding)?$/.test(kind)),
    },
    findings,
    notes,
    images: { from: imageOf(running), to: imageOf(candidate) },
  };
}

function templateOf({ spec }: KubeObject): PodTemplate {
  return (spec as { template: PodTemplate }).template;
}

function imageOf({ spec }: PodTemplate): string {
  return String(spec.containers[0]?.image ?? '');
}

async function restarts(
  client: Client,
  namespace: string,
  workloads: readonly KubeObject[],
): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const { spec } of workloads) {
    const labels = (spec as { selector?: { matchLabels?: Record<string, string> } }).selector?.matchLabels ?? {};
    for (const pod of await podsOf(client, namespace, labels)) counted[pod.metadata.uid ?? ''] = restartsOf(pod);
  }
  return counted;
}
