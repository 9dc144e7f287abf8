import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import { objectAt, objectsAt, textAt, valueAt } from '../model/fields.ts';
import type { ComparedResource } from '../model/model.ts';
import type { NoticeContext } from './notice.ts';
import { containersOf, meets, podLabels, workloadsIn } from './workloads-of.ts';

const selectsNothing = defineDiagnosis('ServiceSelectsNothing', 'No pod has the labels that a Service selects');
const portUnnamed = defineDiagnosis('ServicePortUnknown', 'A Service names a port that no container of its pods has');

const shown = 5;

/** A Service that reaches no pod: by labels that none has, or by the name of a port that none has. */
export function serviceNotice(resource: ComparedResource, { resources, cache }: NoticeContext): Diagnosis | undefined {
  const { key, desired } = resource;
  const selector = objectAt(desired, 'spec', 'selector');
  const wanted = Object.entries(selector).map(([name, value]) => `${name}=${value}`);
  // without a selector somebody else writes its endpoints
  if (wanted.length === 0) return undefined;
  const workloads = workloadsIn(resources, key.namespace);
  const own = workloads.filter((workload) => meets(podLabels(workload), selector));
  if (own.length > 0) return unnamedPort(resource, own);
  // the pods of an operator are not of the application, and a function may scale to none
  if (workloads.length === 0 || !cache.watches('', 'Pod')) return undefined;
  const pods = cache.inNamespace(key.namespace).filter((node) => node.key.group === '' && node.key.kind === 'Pod');
  if (pods.some(({ networking }) => meets(networking?.labels ?? {}, selector))) return undefined;
  return diagnose(selectsNothing, {
    message: `Service ${key.name} reaches no pod: none in namespace ${key.namespace} has ${wanted.join(',')}`,
    place: { object: describeKey(key), field: 'spec.selector' },
    evidence: Object.fromEntries(
      workloads.slice(0, shown).map((workload) => [
        `pods of ${workload.key.kind} ${workload.key.name}`,
        Object.entries(podLabels(workload))
          .map(([name, value]) => `${name}=${value}`)
          .join(','),
      ]),
    ),
    remedies: ['Correct spec.selector of the Service, or the labels of spec.template of the workload that is meant'],
  });
}

function unnamedPort(
  { key, desired }: ComparedResource,
  workloads: readonly ComparedResource[],
): Diagnosis | undefined {
  const names = workloads
    .flatMap(containersOf)
    .flatMap((container) => objectsAt(container, 'ports').map((port) => textAt(port, 'name')))
    .filter(Boolean);
  const ports = objectsAt(desired, 'spec', 'ports');
  const at = ports.findIndex((port) => {
    const target = valueAt(port, 'targetPort');
    return typeof target === 'string' && !/^\d+$/.test(target) && !names.includes(target);
  });
  if (at < 0) return undefined;
  const target = textAt(ports[at], 'targetPort');
  return diagnose(portUnnamed, {
    message: `Service ${key.name} leads to port ${target}, which no container of ${workloads.map((each) => `${each.key.kind} ${each.key.name}`).join(', ')} names`,
    place: { object: describeKey(key), field: `spec.ports[${at}].targetPort` },
    evidence: { 'named ports of the containers': [...new Set(names)].join(', ') || 'none' },
    remedies: ['Correct targetPort of the Service, or name the port of the container so (ports[].name)'],
  });
}
