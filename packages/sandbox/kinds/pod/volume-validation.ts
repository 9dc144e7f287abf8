import { type FieldErrors, isDnsLabel, validateTemplateMeta } from '@tiphys/apimachinery';
import type { coreV1, ObjectMeta } from '@tiphys/kubernetes';
import { oneOf, validateFilePath, validateNoDots } from '../shared/field-rules.ts';
import type { Volume } from '../shared/shapes.ts';
import { validateFileField, validateResourceField } from './container-validation.ts';
import { validateClaimSpec } from './storage-validation.ts';
import { validateStorage } from './volume-sources.ts';

interface Item {
  key?: string;
  path?: string;
  mode?: number;
}

interface Items {
  items?: Item[];
  defaultMode?: number;
}

/** In the order in which the API server reads sources. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Validates the volumes of a pod; gives those that may be mounted. */
export function validateVolumes(volumes: readonly Volume[], path: string, errors: FieldErrors): Map<string, Volume> {
  const valid = new Map<string, Volume>();
  volumes.forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const before = errors.causes.length;
    const first = errors.fresh();
    validateSources(volume, at, first);
    if (!volume.name) errors.required(`${at}.name`);
    else for (const text of isDnsLabel(volume.name)) errors.invalid(`${at}.name`, volume.name, text);
    if (valid.has(volume.name)) errors.duplicate(`${at}.name`, volume.name);
    errors.causes.splice(before, 0, ...first.causes);
    if (errors.causes.length === before) valid.set(volume.name, volume);
  });
  return valid;
}

/** Names of sources in the API server's own words. */
const TOLD_AS: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

const LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

function validateSources(volume: Volume, at: string, errors: FieldErrors): void {
  const present = SOURCES.filter((source) => volume[source] !== undefined);
  for (const [index, source] of present.entries()) {
    if (index > 0) errors.forbidden(`${at}.${TOLD_AS[source] ?? source}`, 'may not specify more than 1 volume type');
    else if (!validateStorage('pod', source, volume[source] as object as never, { at, errors }))
      validateSource(source, volume[source] as never, `${at}.${source}`, errors);
  }
  const { initiatorName, targetPortal } = (volume.iscsi ?? {}) as coreV1.ISCSIVolumeSource;
  if (present[0] === 'iscsi' && initiatorName !== undefined && `${volume.name}:${targetPortal}`.length > 64)
    errors.invalid(`${at}.name`, volume.name, LONG_PORTAL);
  if (!present.length) errors.required(at, 'must specify a volume type');
}

function validateSource(source: string, value: Record<string, never>, at: string, errors: FieldErrors): void {
  switch (source) {
    case 'emptyDir':
      if ((value as coreV1.EmptyDirVolumeSource).sizeLimit?.startsWith('-'))
        errors.forbidden(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
      break;
    case 'hostPath':
      validateHostPath(value, at, errors);
      break;
    case 'secret':
      validateFiles(value, 'secretName', at, errors);
      break;
    case 'configMap':
      validateFiles(value, 'name', at, errors);
      break;
    case 'persistentVolumeClaim':
      if (!(value as coreV1.PersistentVolumeClaimVolumeSource).claimName) errors.required(`${at}.claimName`);
      break;
    case 'nfs':
      validateNfs(value, at, errors);
      break;
    case 'ephemeral':
      validateClaimTemplate(value, at, errors);
      break;
    case 'downwardAPI':
      validateDownward(value, at, errors);
      break;
    case 'projected':
      validateProjected(value, at, errors);
      break;
    default:
  }
}

const HOST_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** A hostPath of a pod or a PersistentVolume. */
export function validateHostPath(
  { path, type }: { path?: string; type?: string },
  at: string,
  errors: FieldErrors,
): void {
  if (!path) {
    errors.required(`${at}.path`);
    return;
  }
  validateNoDots(path, `${at}.path`, errors);
  oneOf(type, HOST_TYPES, `${at}.type`, errors);
}

export function validateNfs(
  { server, path }: { server?: string; path?: string },
  at: string,
  errors: FieldErrors,
): void {
  if (!server) errors.required(`${at}.server`);
  if (!path) errors.required(`${at}.path`);
  if (!path?.startsWith('/')) errors.invalid(`${at}.path`, path ?? '', 'must be an absolute path');
}

function validateClaimTemplate(
  { volumeClaimTemplate: template }: { volumeClaimTemplate?: { metadata?: ObjectMeta; spec?: object } },
  at: string,
  errors: FieldErrors,
): void {
  if (!template) {
    errors.required(`${at}.volumeClaimTemplate`);
    return;
  }
  const here = `${at}.volumeClaimTemplate`;
  validateTemplateMeta(template.metadata, `${here}.metadata`, errors);
  validateClaimSpec(template.spec ?? {}, `${here}.spec`, errors);
}

function validateMode(mode: number | undefined, path: string, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777))
    errors.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}

function validateFiles(
  source: Items & { name?: string; secretName?: string },
  field: 'name' | 'secretName',
  at: string,
  errors: FieldErrors,
): void {
  if (!source[field]) errors.required(`${at}.${field}`);
  validateMode(source.defaultMode, `${at}.defaultMode`, errors);
  validateItems(source, at, errors);
}

function validateItems({ items }: Items, at: string, errors: FieldErrors): void {
  (items ?? []).forEach((item, index) => {
    validateItem(item, `${at}.items[${index}]`, errors);
  });
}

function validateItem({ key, path, mode }: Item, at: string, errors: FieldErrors): void {
  if (!key) errors.required(`${at}.key`);
  if (!path) errors.required(`${at}.path`);
  else validateFilePath(path, `${at}.path`, errors);
  validateMode(mode, `${at}.mode`, errors);
}

interface DownwardItem {
  path?: string;
  mode?: number;
  fieldRef?: { fieldPath?: string };
  resourceFieldRef?: object;
}

function validateDownward(
  { items, defaultMode }: { items?: DownwardItem[]; defaultMode?: number },
  at: string,
  errors: FieldErrors,
): void {
  validateMode(defaultMode, `${at}.defaultMode`, errors);
  for (const { path, mode, fieldRef, resourceFieldRef } of items ?? []) {
    if (!path) errors.required(`${at}.path`);
    else validateFilePath(path, `${at}.path`, errors);
    if (fieldRef) validateFileField(fieldRef, `${at}.fieldRef`, errors);
    if (fieldRef && resourceFieldRef)
      errors.invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    if (!fieldRef && !resourceFieldRef) errors.required(at, 'one of fieldRef and resourceFieldRef is required');
    if (!fieldRef && resourceFieldRef)
      validateResourceField(resourceFieldRef, `${at}.resourceFieldRef`, errors, { volume: true });
    validateMode(mode, `${at}.mode`, errors);
  }
}

interface Projection {
  secret?: Items & { name?: string };
  configMap?: Items & { name?: string };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: { path?: string; expirationSeconds?: number };
}

const HOUR = 3600;

const MIN_TOKEN = 600;

const MAX_TOKEN = 2 ** 32;

function validateProjected(
  { sources, defaultMode }: { sources?: Projection[]; defaultMode?: number },
  at: string,
  errors: FieldErrors,
): void {
  validateMode(defaultMode, `${at}.defaultMode`, errors);
  const paths = new Set<string>();
  const unique = (path: string | undefined, told: string) => {
    if (path && paths.has(path)) errors.invalid(at, told, 'conflicting duplicate paths');
    if (path) paths.add(path);
  };
  (sources ?? []).forEach((source, index) => {
    const here = `${at}.sources[${index}]`;
    for (const kind of ['secret', 'configMap'] as const) {
      const files = source[kind];
      if (!files) continue;
      if (!files.name) errors.required(`${here}.${kind}.name`);
      (files.items ?? []).forEach((item, position) => {
        validateItem(item, `${here}.${kind}.items[${position}]`, errors);
        unique(item.path, files.name ?? '');
      });
    }
    for (const item of source.downwardAPI?.items ?? []) {
      validateDownward({ items: [item] }, `${here}.downwardAPI`, errors);
      unique(item.path, item.path ?? '');
    }
    if (source.serviceAccountToken) validateToken(source.serviceAccountToken, at, here, errors);
    if (Object.keys(source).length > 1) errors.forbidden(here, 'may not specify more than 1 volume type per source');
  });
}

function validateToken(
  { path, expirationSeconds: seconds = HOUR }: NonNullable<Projection['serviceAccountToken']>,
  volume: string,
  at: string,
  errors: FieldErrors,
): void {
  const here = `${at}.serviceAccountToken.expirationSeconds`;
  if (seconds < MIN_TOKEN) errors.invalid(here, seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > MAX_TOKEN) errors.invalid(here, seconds, 'may not specify a duration larger than 2^32 seconds');
  if (!path) errors.required(`${volume}.path`);
  else validateFilePath(path, `${volume}.path`, errors);
}
