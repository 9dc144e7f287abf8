import { Controller, type ControllerContext } from '../machinery/controller.ts';
import type { Node } from '../machinery/workload-model.ts';

const annotation = 'node.alpha.kubernetes.io/ttl';

/** How long kubelets may keep Secrets and ConfigMaps, by the number of nodes; ranges overlap so that it does not flap. */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** Annotates each node with how long it may keep what it read (pkg/controller/ttl); a node learns it when it is touched. */
export function startNodeTtlController(context: ControllerContext): void {
  const controller = new Controller(context, 'ttl-controller');
  const nodes = context.stores.of<Node>('v1', 'Node');
  let count = 0;
  let step = 0;
  nodes.subscribe(({ type }) => {
    if (type === 'added') count += 1;
    if (type === 'deleted') count -= 1;
    if (count > (steps[step]?.to ?? 0)) step += 1;
    if (count < (steps[step]?.from ?? 0)) step -= 1;
  });
  controller.watch(nodes);
  controller.run(async (key) => {
    const node = nodes.get('', key.slice(1));
    const seconds = String(steps[step]?.seconds);
    if (!node || node.metadata.annotations?.[annotation] === seconds) return undefined;
    const ref = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name ?? '' };
    await controller.client.patch(ref, 'strategic', { metadata: { annotations: { [annotation]: seconds } } });
    return undefined;
  });
}
