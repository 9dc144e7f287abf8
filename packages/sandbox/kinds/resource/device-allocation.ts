import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsLabel } from '@tiphys/apimachinery';
import type { KubeObject, resourceV1 } from '@tiphys/kubernetes';
import { type NodeSelector, validateRequiredNodes } from '../pod/affinity-validation.ts';
import { validateDriverName } from '../shared/driver-names.ts';
import { oneOf, validateInterfaceAddress } from '../shared/field-rules.ts';
import { type Condition, validateMetaConditions } from '../shared/meta-conditions.ts';
import {
  type ClaimSpec,
  type RequestNames,
  requestNames,
  validateReference,
  validateReferences,
} from './device-requests.ts';
import {
  type Configuration,
  validateConfiguration,
  validateList,
  validatePoolName,
  validateRawObject,
} from './device-rules.ts';

/** What is allocated to a claim, and what drivers tell of it: the API server's rules for a claim's status. */
interface Device {
  driver?: string;
  pool?: string;
  device?: string;
}

interface Result extends Device {
  request?: string;
  adminAccess?: boolean;
}

interface AllocationConfiguration extends Configuration {
  source?: string;
  requests?: string[] | null;
}

interface Allocation {
  devices?: { results?: Result[] | null; config?: AllocationConfiguration[] | null };
  nodeSelector?: NodeSelector;
}

interface DeviceStatus extends Device {
  conditions?: Condition[] | null;
  data?: unknown;
  networkData?: { interfaceName?: string; hardwareAddress?: string; ips?: string[] | null };
}

interface Consumer {
  resource?: string;
  name?: string;
  uid?: string;
}

interface ClaimStatus {
  allocation?: Allocation;
  devices?: DeviceStatus[] | null;
  reservedFor?: Consumer[] | null;
}

const statusOf = ({ status }: KubeObject): ClaimStatus => (status ?? {}) as ClaimStatus;

const resultsOf = ({ allocation }: ClaimStatus): Result[] => allocation?.devices?.results ?? [];

const idOf = ({ driver = '', pool = '', device = '' }: Device): string => `${driver}/${pool}/${device}`;

/** The place of the first result with an administrator's access. */
export function adminResult(object: KubeObject): string | undefined {
  const index = resultsOf(statusOf(object)).findIndex(({ adminAccess }) => adminAccess);
  return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`;
}

const DISABLED = ['bindingConditions', 'bindingFailureConditions', 'shareID', 'consumedCapacity'];

/** Takes away what a kube-apiserver with its default features does not know, and what is told of devices that were given back. */
export function dropOfStatus(object: KubeObject, old: KubeObject): void {
  const status = statusOf(object);
  delete (status.allocation as resourceV1.AllocationResult | undefined)?.allocationTimestamp;
  for (const result of resultsOf(status))
    for (const field of DISABLED) delete (result as Record<string, unknown>)[field];
  for (const device of status.devices ?? []) delete (device as resourceV1.AllocatedDeviceStatus).shareID;
  const given = new Set(resultsOf(status).map(idOf));
  const lost = new Set(
    resultsOf(statusOf(old))
      .map(idOf)
      .filter((id) => !given.has(id)),
  );
  const kept = (status.devices ?? []).filter((device) => !lost.has(idOf(device)));
  if (kept.length) status.devices = kept;
  else delete status.devices;
}

export function validateClaimStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [status, before] = [statusOf(object), statusOf(old)];
  const checkConsumer = (consumer: Consumer, at: string) => {
    for (const field of ['resource', 'name', 'uid'] as const) if (!consumer[field]) errors.required(`${at}.${field}`);
  };
  const consumers = { max: 256, check: checkConsumer, key: ({ uid = '' }: Consumer) => uid, field: 'uid' };
  validateList(status.reservedFor, consumers, 'status.reservedFor', errors);
  const allocated = new Set(resultsOf(status).map(idOf));
  const checkDevice = (device: DeviceStatus, at: string) => validateDeviceStatus(device, allocated, at, errors);
  validateList(status.devices, { check: checkDevice, key: idOf, field: 'deviceID' }, 'status.devices', errors);
  if (status.reservedFor?.length && !status.allocation)
    errors.forbidden('status.reservedFor', 'may not be specified when `allocated` is not set');
  else if (object.metadata.deletionTimestamp) validateReservations(status, before, errors);
  const { allocation } = status;
  if (!allocation) return;
  if (before.allocation) {
    if (!isDeepStrictEqual(allocation, before.allocation))
      errors.invalid('status.allocation', allocation, 'field is immutable');
  } else validateAllocation(allocation, requestNames(object.spec as ClaimSpec | undefined), errors);
}

function validateReservations(status: ClaimStatus, before: ClaimStatus, errors: FieldErrors): void {
  const known = before.reservedFor ?? [];
  if ((status.reservedFor ?? []).some((each) => !known.some((other) => isDeepStrictEqual(each, other))))
    errors.forbidden(
      'status.reservedFor',
      'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    );
}

function validateDevice({ driver = '', pool = '', device = '' }: Device, at: string, errors: FieldErrors): void {
  validateDriverName(driver, `${at}.driver`, errors);
  validatePoolName(pool, `${at}.pool`, errors);
  for (const text of isDnsLabel(device)) errors.invalid(`${at}.device`, device, text);
}

function validateAllocation({ devices, nodeSelector }: Allocation, names: RequestNames, errors: FieldErrors): void {
  const at = 'status.allocation';
  const check = (result: Result, here: string) => {
    validateReference(result.request ?? '', names, `${here}.request`, errors);
    validateDevice(result, here, errors);
  };
  validateList(devices?.results, { max: 32, check }, `${at}.devices.results`, errors);
  const checkConfig = (config: AllocationConfiguration, here: string) => {
    if (config.source) oneOf(config.source, ['FromClaim', 'FromClass'], `${here}.source`, errors);
    else errors.required(`${here}.source`);
    validateReferences(config.requests, names, `${here}.requests`, errors);
    validateConfiguration(config, here, errors);
  };
  validateList(devices?.config, { max: 64, check: checkConfig }, `${at}.devices.config`, errors);
  if (nodeSelector) validateRequiredNodes(nodeSelector, `${at}.nodeSelector`, errors);
}

function validateDeviceStatus(
  device: DeviceStatus,
  allocated: ReadonlySet<string>,
  at: string,
  errors: FieldErrors,
): void {
  validateDevice(device, at, errors);
  if (!allocated.has(idOf(device))) errors.invalid(at, idOf(device), 'must be an allocated device in the claim');
  const { conditions, data, networkData } = device;
  if ((conditions?.length ?? 0) > 8) errors.tooMany(`${at}.conditions`, conditions?.length ?? 0, 8);
  validateMetaConditions(conditions ?? [], `${at}.conditions`, errors);
  if (data !== undefined) validateRawObject(data, `${at}.data`, errors);
  const { interfaceName = '', hardwareAddress = '', ips } = networkData ?? {};
  if (interfaceName.length > 256) errors.tooLong(`${at}.networkData.interfaceName`, 256);
  if (hardwareAddress.length > 128) errors.tooLong(`${at}.networkData.hardwareAddress`, 128);
  const check = (address: string, here: string) => validateInterfaceAddress(address, here, errors);
  validateList(ips, { check, max: 16, key: (address) => address }, `${at}.networkData.ips`, errors);
}
