import { type FieldErrors, isDnsLabel, isDnsSubdomain } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import { validateDriverName } from '../shared/driver-names.ts';
import { oneOf, validateNoDots } from '../shared/field-rules.ts';

/** Rules for the sources that volumes of pods and PersistentVolumes have in common: storage of others. */
type Source = Readonly<Record<string, unknown>>;

type Rule = (source: Source, at: string, errors: FieldErrors) => void;

const textOf = (source: Source, field: string): string => String(source[field] ?? '');

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const needs =
  (...fields: readonly string[]): Rule =>
  (source, at, errors) => {
    for (const field of fields) if (isEmpty(source[field])) errors.required(`${at}.${field}`);
  };

const all =
  (...rules: readonly Rule[]): Rule =>
  (source, at, errors) => {
    for (const rule of rules) rule(source, at, errors);
  };

/** A Secret that is referred to has a name, and of a PersistentVolume a namespace. */
const secretNeeds =
  (...fields: readonly string[]): Rule =>
  ({ secretRef }, at, errors) => {
    if (secretRef) needs(...fields)(secretRef as Source, `${at}.secretRef`, errors);
  };

const partition: Rule = (source, at, errors) => {
  const number = Number(source.partition ?? 0);
  if (number < 0 || number > 255) errors.invalid(`${at}.partition`, number, 'must be between 1 and 255, inclusive');
};

const options: Rule = ({ options: given }, at, errors) => {
  for (const key of Object.keys((given ?? {}) as object)) {
    const [first = ''] = key.split('/');
    if (/\.(kubernetes|k8s)\.io$/.test(`.${first.toLowerCase()}`))
      errors.invalid(`${at}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved');
  }
};

const lunProblem = (lun: number): boolean => lun < 0 || lun > 255;

const LUN_TEXT = 'must be between 0 and 255, inclusive';

const fibreChannel: Rule = ({ targetWWNs, wwids, lun }, at, errors) => {
  const [targets, ids] = [!isEmpty(targetWWNs), !isEmpty(wwids)];
  if (!targets && !ids) errors.required(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both');
  if (targets && ids)
    errors.invalid(`${at}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously');
  if (!targets) return;
  if (lun === undefined) errors.required(`${at}.lun`, 'lun is required if targetWWNs is specified');
  else if (lunProblem(Number(lun))) errors.invalid(`${at}.lun`, lun, LUN_TEXT);
};

const flocker: Rule = (source, at, errors) => {
  const [name, id] = [textOf(source, 'datasetName'), textOf(source, 'datasetUUID')];
  if (!name && !id) errors.required(at, 'one of datasetName and datasetUUID is required');
  if (name && id) errors.invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  if (name.includes('/')) errors.invalid(`${at}.datasetName`, name, "must not contain '/'");
};

const HOSTS_TEXT = 'must be a host:port pair or multiple pairs separated by commas';

const quobyte: Rule = (source, at, errors) => {
  const registry = textOf(source, 'registry');
  if (!registry) errors.required(`${at}.registry`, HOSTS_TEXT);
  else if (textOf(source, 'tenant').length >= 65)
    errors.required(`${at}.tenant`, 'must be a UUID and may not exceed a length of 64 characters');
  else
    for (const pair of registry.split(','))
      if (!/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair)) errors.invalid(`${at}.registry`, registry, HOSTS_TEXT);
  needs('volume')(source, at, errors);
};

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];

const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];

const MANAGED = ['/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'];

const BLOB = ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];

const azureDisk: Rule = (source, at, errors) => {
  needs('diskName', 'diskURI')(source, at, errors);
  const { kind, cachingMode } = source as coreV1.AzureDiskVolumeSource;
  oneOf(cachingMode, CACHING, `${at}.cachingMode`, errors);
  oneOf(kind, DISK_KINDS, `${at}.kind`, errors);
  const uri = textOf(source, 'diskURI');
  if (kind === 'Managed' && !uri.startsWith('/subscriptions/')) errors.notSupported(`${at}.diskURI`, uri, MANAGED);
  if (kind !== undefined && kind !== 'Managed' && !uri.startsWith('https://'))
    errors.notSupported(`${at}.diskURI`, uri, BLOB);
};

const storageOs: Rule = (source, at, errors) => {
  needs('volumeName')(source, at, errors);
  for (const field of ['volumeName', 'volumeNamespace']) {
    const name = textOf(source, field);
    if (name) for (const text of isDnsLabel(name)) errors.invalid(`${at}.${field}`, name, text);
  }
};

const NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function nameProblem(name: string, unknown: string): string | undefined {
  const pattern = NAMES[name.slice(0, 3)];
  if (!pattern) return unknown;
  return pattern.test(name) ? undefined : 'must be valid format';
}

const iscsi =
  (unknown: string, owner: 'pod' | 'volume'): Rule =>
  (source, at, errors) => {
    needs('targetPortal', 'iqn')(source, at, errors);
    const { lun = 0, secretRef, initiatorName } = source as coreV1.ISCSIVolumeSource;
    const iqn = textOf(source, 'iqn');
    const problem = iqn ? nameProblem(iqn, unknown) : undefined;
    if (problem) errors.invalid(`${at}.iqn`, iqn, problem);
    if (lunProblem(lun)) errors.invalid(`${at}.lun`, lun, LUN_TEXT);
    if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) errors.required(`${at}.secretRef`);
    if (owner === 'volume' && secretRef && !secretRef.name) errors.required(`${at}.secretRef.name`);
    if (initiatorName === undefined) return;
    const other = nameProblem(initiatorName, unknown);
    if (other) errors.invalid(`${at}.initiatorname`, initiatorName, other);
  };

const glusterfs = needs('endpoints', 'path');

/** Of a volume of a PersistentVolume: in another namespace, which has to be one. */
const glusterfsNamespace: Rule = ({ endpointsNamespace: namespace }, at, errors) => {
  if (namespace === '')
    errors.invalid(
      `${at}.endpointsNamespace`,
      namespace,
      'if the endpointnamespace is set, it must be a valid namespace name',
    );
  else if (typeof namespace === 'string')
    for (const text of isDnsLabel(namespace)) errors.invalid(`${at}.endpointsNamespace`, namespace, text);
};

const azureNamespace: Rule = ({ secretNamespace }, at, errors) => {
  if (secretNamespace === '') errors.required(`${at}.secretNamespace`);
};

const csiSecrets: Rule = (source, at, errors) => {
  for (const field of [
    'controllerPublishSecretRef',
    'controllerExpandSecretRef',
    'nodePublishSecretRef',
    'nodeExpandSecretRef',
  ]) {
    const secret = source[field] as coreV1.SecretReference | undefined;
    if (!secret) continue;
    const { name, namespace } = secret;
    if (!name) errors.required(`${at}.${field}.name`);
    else for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.${field}.name`, name, text);
    if (!namespace) errors.required(`${at}.${field}.namespace`);
    else for (const text of isDnsLabel(namespace)) errors.invalid(`${at}.${field}.namespace`, namespace, text);
  }
};

const csiDriver: Rule = (source, at, errors) => validateDriverName(textOf(source, 'driver'), `${at}.driver`, errors);

const csiSecret: Rule = ({ nodePublishSecretRef: secret }, at, errors) => {
  const { name } = (secret ?? {}) as coreV1.SecretReference;
  if (secret && !name) errors.required(`${at}.nodePublishSecretRef.name`);
  if (name) for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.name`, name, text);
};

const gitRepo: Rule = (source, at, errors) => {
  needs('repository')(source, at, errors);
  const directory = textOf(source, 'directory');
  if (directory.startsWith('/')) errors.invalid(`${at}.directory`, directory, 'must be a relative path');
  validateNoDots(directory, `${at}.directory`, errors);
};

const local: Rule = (source, at, errors) => {
  needs('path')(source, at, errors);
  validateNoDots(textOf(source, 'path'), `${at}.path`, errors);
};

const COMMON: Readonly<Record<string, Rule>> = {
  gcePersistentDisk: all(needs('pdName'), partition),
  awsElasticBlockStore: all(needs('volumeID'), partition),
  flocker,
  rbd: needs('monitors', 'image'),
  quobyte,
  cephfs: needs('monitors'),
  fc: fibreChannel,
  flexVolume: all(needs('driver'), options),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
};

const UNKNOWN_NAME = 'must be valid format starting with iqn, eui, or naa';

const OF_PODS: Readonly<Record<string, Rule>> = {
  ...COMMON,
  gitRepo,
  iscsi: iscsi(UNKNOWN_NAME, 'pod'),
  glusterfs,
  cinder: all(needs('volumeID'), secretNeeds('name')),
  azureFile: needs('secretName', 'shareName'),
  storageos: all(storageOs, secretNeeds('name')),
  csi: all(csiDriver, csiSecret),
};

const OF_VOLUMES: Readonly<Record<string, Rule>> = {
  ...COMMON,
  iscsi: iscsi('must be valid format', 'volume'),
  glusterfs: all(glusterfs, glusterfsNamespace),
  cinder: all(needs('volumeID'), secretNeeds('name', 'namespace')),
  azureFile: all(needs('secretName', 'shareName'), azureNamespace),
  storageos: all(storageOs, secretNeeds('name', 'namespace')),
  csi: all(csiDriver, needs('volumeHandle'), csiSecrets),
  local,
};

/** Validates a source of one of these kinds at the place that the API server names for it; false where it is none of them. */
export function validateStorage(
  owner: 'pod' | 'volume',
  source: string,
  value: Source,
  { at, errors }: { at: string; errors: FieldErrors },
): boolean {
  const rule = (owner === 'pod' ? OF_PODS : OF_VOLUMES)[source];
  rule?.(value, source === 'gcePersistentDisk' ? `${at}.persistentDisk` : `${at}.${source}`, errors);
  return rule !== undefined;
}
