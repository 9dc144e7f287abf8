import { type Diagnosis, defineDiagnosis, diagnose, nearestName } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import { type JsonObject, objectsAt, textAt, valueAt } from '../model/fields.ts';
import type { ComparedResource } from '../model/model.ts';

const probePortUnknown = defineDiagnosis(
  'ProbePortUnknown',
  'A probe names a port that its container does not have, so that it always fails',
);

const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const ways = ['httpGet', 'tcpSocket'];

/** A probe of a workload's container by the name of a port. The kubelet looks among the ports of the container itself, and finds none. */
export function probeNotice({ key, desired }: ComparedResource): Diagnosis | undefined {
  for (const list of ['containers', 'initContainers'])
    for (const [index, container] of objectsAt(desired, 'spec', 'template', 'spec', list).entries())
      for (const probe of probes)
        for (const way of ways) {
          const port = valueAt(container, probe, way, 'port');
          if (typeof port !== 'string' || /^\d+$/.test(port)) continue;
          const names = portNames(container);
          if (names.includes(port)) continue;
          const near = nearestName(port, names);
          return diagnose(probePortUnknown, {
            message: `The ${probe} of container ${textAt(container, 'name')} of ${key.kind} ${key.name} asks port ${port}, which the container does not have: it fails each time`,
            place: { object: describeKey(key), field: `spec.template.spec.${list}[${index}].${probe}.${way}.port` },
            evidence: { 'named ports of the container': names.join(', ') || 'none' },
            remedies: [
              `Write ${near ?? 'the name of a port of the container, or its number'}, or name the port so (ports[].name)`,
            ],
          });
        }
  return undefined;
}

const portNames = (container: JsonObject): string[] =>
  objectsAt(container, 'ports')
    .map((port) => textAt(port, 'name'))
    .filter(Boolean);
