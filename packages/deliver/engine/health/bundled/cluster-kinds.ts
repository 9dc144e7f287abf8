import type { KubeObject } from '@tiphys/kubernetes';
import { numberAt, objectsAt, textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import {
  type Check,
  type Checks,
  conditions,
  field,
  firstOf,
  given,
  hasStatus,
  listAt,
  ranked,
  ready,
  when,
} from './check.ts';

const isPaused = (object: KubeObject) => valueAt(object, 'spec', 'paused') === true;
const notReady = conditions(when('Ready', 'False', 'Degraded'));

const machine: Check = (object) => {
  const phase = textAt(object, 'status', 'phase');
  if (phase === 'Running') return health('Healthy', 'Machine is running');
  return health(phase === 'Failed' ? 'Degraded' : 'Progressing', notReady(object)?.message ?? 'Condition is unknown');
};

const machineHealthCheck: Check = (object) => {
  const healthy = valueAt(object, 'status', 'currentHealthy');
  if (healthy === undefined) return health('Progressing');
  return health(valueAt(object, 'status', 'expectedMachines') === healthy ? 'Healthy' : 'Degraded');
};

const machinePool: Check = (object) => {
  const phase = textAt(object, 'status', 'phase');
  const missing = objectsAt(object, 'status', 'conditions')
    .filter(({ type, status }) => type !== undefined && status === 'False')
    .map((condition) => {
      const reason = textAt(condition, 'reason');
      return `Not ${condition.type}${reason ? ` (${reason})` : ''}`;
    });
  const code =
    phase === 'Running' || phase === 'Scaling'
      ? 'Healthy'
      : phase === 'Failed' || phase === 'Unknown'
        ? 'Degraded'
        : 'Progressing';
  const message = phase ? `MachinePool is ${phase}` : '';
  return health(code, missing.length > 0 ? `${message}: ${missing.join(', ')}` : message);
};

const managedControlPlane: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return health('Progressing', 'Provisioning...');
  const isReady = conditions(when('Ready', 'True', 'Healthy', 'Control plane is ready'))(object);
  if (isReady) return isReady;
  const errors = objectsAt(object, 'status', 'conditions').filter(
    ({ status, severity }) => status === 'False' && severity === 'Error',
  );
  if (errors.length > 0) return health('Degraded', errors.map((one) => `${textAt(one, 'message')} `).join(''));
  return valueAt(object, 'status', 'ready') === false
    ? health('Progressing', 'Control plane is not ready (.status.ready is false)')
    : health('Progressing', 'Control plane is not ready');
};

const nodeClaim = firstOf(
  ['Progressing', 'Waiting for NodeClaim to be launched'],
  given(
    (claim) => {
      const [generation, observed] = [claim.metadata.generation, numberAt(claim, 'status', 'observedGeneration')];
      return generation !== undefined && observed !== undefined && generation !== observed;
    },
    'Progressing',
    'Waiting for NodeClaim spec to be reconciled',
  ),
  ranked(when('Disrupting', 'True', 'Suspended')),
  conditions(when('Ready', 'True', 'Healthy'), when('Ready', 'False', 'Degraded')),
  ranked(
    when('Initialized', 'True', 'Progressing', 'Node initialized, waiting for Ready'),
    when('Registered', 'True', 'Progressing', 'Node registered, waiting for initialization'),
    when('Launched', 'True', 'Progressing', 'Node launched, waiting for registration'),
  ),
);

const binding: Check = (object) => {
  const clusters = listAt(object, 'spec', 'clusters');
  const statuses = listAt(object, 'status', 'aggregatedStatus') as { health?: string; applied?: boolean }[];
  if (!hasStatus(object) || clusters.length === 0 || clusters.length !== statuses.length)
    return health('Progressing', 'Current resource status is insufficient');
  const sick = statuses.some(
    ({ health: state, applied }) => state === 'Unhealthy' || (state === 'Unknown' && applied !== true),
  );
  return sick ? health('Degraded', 'Current resource status is unhealthy') : health('Healthy');
};

const shoot: Check = (object) => {
  const state = object.metadata.labels?.['shoot.gardener.cloud/status'];
  return firstOf(
    ['Progressing', 'Update in progress'],
    field(['state'], {
      healthy: ['Healthy', 'Component state: Healthy'],
      progressing: ['Progressing', 'Component state: Update in progress'],
      unhealthy: ['Degraded', 'Component state: Unhealthy'],
      unknown: ['Unknown', 'Component state: Unknown'],
    }),
  )({ ...object, state });
};

/** Kinds that make clusters and nodes, and that spread objects over clusters. */
export const clusterKinds: Checks = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': firstOf(
    ['Progressing', 'Initializing cluster resource set'],
    conditions(
      when('ResourcesApplied', 'True', 'Healthy', 'cluster resource set is applied'),
      when('ResourcesApplied', 'False', 'Degraded'),
    ),
  ),
  'cluster.x-k8s.io/Cluster': firstOf(
    ['Progressing', 'Waiting for clusters'],
    given(isPaused, 'Suspended', 'Cluster is paused'),
    notReady,
    field(['status', 'phase'], { Provisioned: ['Healthy', 'Cluster is running'], Failed: ['Degraded'] }),
  ),
  'cluster.x-k8s.io/Machine': machine,
  'cluster.x-k8s.io/MachineDeployment': firstOf(
    ['Progressing', 'Waiting for machines'],
    given(isPaused, 'Suspended', 'MachineDeployment is paused'),
    field(['status', 'phase'], {
      Running: ['Healthy', 'Machines are running under this deployment'],
      ScalingUp: ['Progressing', 'Cluster is spawning machines'],
      ScalingDown: ['Progressing', 'Cluster is stopping machines'],
      Failed: ['Degraded', 'MachineDeployment is failed'],
    }),
  ),
  'cluster.x-k8s.io/MachineHealthCheck': machineHealthCheck,
  'cluster.x-k8s.io/MachinePool': machinePool,
  'controlplane.cluster.x-k8s.io/AWSManagedControlPlane': managedControlPlane,
  'core.gardener.cloud/Shoot': shoot,
  'karpenter.k8s.aws/EC2NodeClass': ready('Waiting for EC2NodeClass to be ready', 'EC2NodeClass is ready'),
  'karpenter.sh/NodeClaim': nodeClaim,
  'karpenter.sh/NodePool': ready('Waiting for NodePool to be ready'),
  'work.karmada.io/ClusterResourceBinding': binding,
  'work.karmada.io/ResourceBinding': binding,
};
