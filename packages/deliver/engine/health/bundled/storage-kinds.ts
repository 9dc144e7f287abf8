import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { HealthCode } from '../../model/model.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, conditions, field, firstOf, forKinds, given, hasStatus, when } from './check.ts';

const noStatus = ['Progressing', 'No status available'] as const;

const astraRun = (kind: string): Check =>
  firstOf(
    noStatus,
    field(['status', 'state'], {
      Completed: ['Healthy', `${kind} Completed`],
      Running: ['Progressing', `${kind} Running`],
      $other: ['Degraded', (state) => state],
    }),
  );

const astraVault = firstOf(
  noStatus,
  field(['status', 'state'], {
    available: ['Healthy', 'AppVault Available'],
    Available: ['Healthy', 'AppVault Available'],
    failed: ['Degraded', 'AppVault Failed'],
    Failed: ['Degraded', 'AppVault Failed'],
  }),
);

const astraApplication: Check = (object) =>
  firstOf(
    noStatus,
    conditions(
      when(
        'Ready',
        'True',
        'Healthy',
        `Astra Application Ready, protectionState: ${textAt(object, 'status', 'protectionState')}`,
      ),
      when('Ready', 'False', 'Degraded', ({ message }) => `Astra Application Degraded, message: ${message ?? ''}`),
    ),
  )(object);

/** Health of Ceph itself, then the state of its cluster; the details tell what is wrong. */
const ceph: Check = (object) => {
  if (!hasStatus(object)) return health('Progressing', 'Waiting for status to be reported');
  const found = textAt(object, 'status', 'ceph', 'health');
  const codes: Readonly<Record<string, HealthCode>> = {
    HEALTH_OK: 'Healthy',
    HEALTH_WARN: 'Degraded',
    HEALTH_ERR: 'Degraded',
  };
  let code = codes[found] ?? 'Progressing';
  const told: string[] = [];
  if (found) {
    const details = (valueAt(object, 'status', 'ceph', 'details') ?? {}) as Record<string, unknown>;
    const messages = Object.keys(details)
      .sort()
      .map((name) => textAt(details[name], 'message'))
      .filter(Boolean);
    told.push(`Ceph health is ${found}${messages.length > 0 ? ` (${messages.join('; ')})` : ''}`);
  }
  const state = textAt(object, 'status', 'state');
  if (state && code === 'Healthy') {
    told.push(`Ceph cluster state is ${state}`);
    code = state === 'Created' || state === 'Connected' ? 'Healthy' : state === 'Error' ? 'Degraded' : 'Progressing';
  }
  const message = textAt(object, 'status', 'message');
  if (message) told.push(message);
  return health(code, told.join(' - '));
};

const cephStore: Check = (object) => {
  const phase = textAt(object, 'status', 'phase');
  const endpoint = textAt(object, 'status', 'info', 'endpoint');
  const told = phase ? `Ceph object store phase is ${phase}` : 'Waiting for status to be reported';
  const code = phase === 'Ready' ? 'Healthy' : phase === 'Failure' ? 'Degraded' : 'Progressing';
  return health(code, endpoint ? `${told} - endpoint: ${endpoint}` : told);
};

const bucketClaim: Check = (object) => {
  if (!hasStatus(object)) return health('Progressing', 'Waiting for status to be reported');
  const told = (phase: string) => `Object bucket claim phase is ${phase}`;
  return firstOf(
    ['Progressing', 'Waiting for phase to be reported'],
    field(['status', 'phase'], {
      Bound: ['Healthy', told],
      Failed: ['Degraded', told],
      $other: ['Progressing', told],
    }),
  )(object);
};

const dataVolume: Check = (object) => {
  const phase = textAt(object, 'status', 'phase');
  if (phase === 'Succeeded') return health('Healthy', phase);
  if (phase === 'Paused') return health('Suspended', phase);
  const failed = objectsAt(object, 'status', 'conditions').find(
    ({ type, status, reason }) => type === 'Running' && status === 'False' && reason === 'Error',
  );
  if (failed) return health('Degraded', textAt(failed, 'message'));
  const code = phase === 'Failed' || phase === 'Unknown' ? 'Degraded' : 'Progressing';
  return health(code, phase || 'No status available');
};

/** Words of MinIO for what needs a person. */
const tenantTroubles = [
  'Statefulset not controlled by operator',
  'Another MinIO Tenant already exists in the namespace',
  'Tenant credentials are not set properly',
  'Different versions across MinIO Pools',
  'Pool Decommissioning Not Allowed',
];

const tenant: Check = (object) => {
  const state = valueAt(object, 'status', 'currentState');
  if (typeof state !== 'string') return health('Progressing', 'No status info available');
  if (state === 'Initialized') return health('Healthy', state);
  return health(tenantTroubles.includes(state) ? 'Degraded' : 'Progressing', state);
};

const tridentBackend: Check = (object) => {
  const done = textAt(object, 'status', 'lastOperationStatus');
  const message = textAt(object, 'status', 'message');
  if (textAt(object, 'status', 'phase') === 'Bound' && done === 'Success') return health('Healthy', message);
  return done === 'Failed' ? health('Degraded', message) : health('Progressing', 'Waiting for backend creation');
};

const tridentOrchestrator: Check = (object) => {
  const message = textAt(object, 'status', 'message');
  return firstOf(
    ['Progressing', 'Waiting for trident installation'],
    field(['status', 'status'], {
      Installed: ['Healthy', message],
      Failed: ['Degraded', message],
      Error: ['Degraded', message],
    }),
  )(object);
};

/** Kinds that keep and protect data. */
export const storageKinds: Checks = {
  'astra.netapp.io/AppVault': astraVault,
  'astra.netapp.io/Application': astraApplication,
  'astra.netapp.io/ExecHook': firstOf(
    noStatus,
    given((hook) => valueAt(hook, 'spec', 'enabled') === true, 'Healthy', 'ExecHook enabled'),
    given((hook) => valueAt(hook, 'spec', 'enabled') === false, 'Suspended', 'ExecHook disabled'),
  ),
  ...forKinds(
    'astra.netapp.io',
    ['Backup', 'ExecHooksRun', 'ResourceBackup', 'ResticVolumeBackup', 'Snapshot'],
    astraRun,
  ),
  'astra.netapp.io/Schedule': (schedule) => {
    const last = textAt(schedule, 'status', 'lastScheduleTime');
    const told = last ? `Protection policy lastScheduleTime: ${last}` : 'Protection policy not yet executed';
    return health('Healthy', told);
  },
  'cdi.kubevirt.io/DataVolume': dataVolume,
  'ceph.rook.io/CephCluster': ceph,
  'ceph.rook.io/CephObjectStore': cephStore,
  'minio.min.io/Tenant': tenant,
  'objectbucket.io/ObjectBucketClaim': bucketClaim,
  'trident.netapp.io/TridentBackendConfig': tridentBackend,
  'trident.netapp.io/TridentOrchestrator': tridentOrchestrator,
};
