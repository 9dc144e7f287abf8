import type { FieldErrors } from '../machinery/field-errors.ts';
import { isDnsLabel, isDnsSubdomain } from '../machinery/names.ts';
import { validateFileField } from './container-validation.ts';
import { oneOf, validateLocalPath, validateNoDots } from './field-rules.ts';
import type { Volume } from './shapes.ts';

interface Items {
  items?: { key?: string; path?: string }[];
  defaultMode?: number;
}

/** In the order in which the API server looks at sources. */
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

function validateSources(volume: Volume, at: string, errors: FieldErrors): void {
  const present = SOURCES.filter((source) => volume[source] !== undefined);
  for (const [index, source] of present.entries()) {
    if (index > 0) errors.forbidden(`${at}.${source}`, 'may not specify more than 1 volume type');
    else validateSource(source, volume[source] as never, `${at}.${source}`, errors);
  }
}

function validateSource(source: string, value: Record<string, never>, at: string, errors: FieldErrors): void {
  switch (source) {
    case 'emptyDir':
      if ((value as { sizeLimit?: string }).sizeLimit?.startsWith('-'))
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
      if (!(value as { claimName?: string }).claimName) errors.required(`${at}.claimName`);
      break;
    case 'nfs':
      validateNfs(value, at, errors);
      break;
    case 'csi':
      validateCsi(value, at, errors);
      break;
    case 'ephemeral':
      if (!(value as { volumeClaimTemplate?: object }).volumeClaimTemplate)
        errors.required(`${at}.volumeClaimTemplate`);
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
  else if (!path.startsWith('/')) errors.invalid(`${at}.path`, path, 'must be an absolute path');
}

function validateCsi({ driver = '' }: { driver?: string }, at: string, errors: FieldErrors): void {
  if (!driver) errors.required(`${at}.driver`);
  for (const text of isDnsSubdomain(driver.toLowerCase())) errors.invalid(`${at}.driver`, driver, text);
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
  (items ?? []).forEach(({ key, path, ...rest }, index) => {
    const here = `${at}.items[${index}]`;
    if (!key) errors.required(`${here}.key`);
    if (!path) errors.required(`${here}.path`);
    else validateLocalPath(path, `${here}.path`, errors);
    validateMode((rest as { mode?: number }).mode, `${here}.mode`, errors);
  });
}

interface DownwardItem {
  path?: string;
  fieldRef?: { fieldPath?: string };
  resourceFieldRef?: object;
}

function validateDownward(
  { items, defaultMode }: { items?: DownwardItem[]; defaultMode?: number },
  at: string,
  errors: FieldErrors,
): void {
  validateMode(defaultMode, `${at}.defaultMode`, errors);
  for (const { path, fieldRef, resourceFieldRef } of items ?? []) {
    if (!path) errors.required(`${at}.path`);
    else validateLocalPath(path, `${at}.path`, errors);
    if (fieldRef) validateFileField(fieldRef, `${at}.fieldRef`, errors);
    if (fieldRef && resourceFieldRef)
      errors.invalid(at, resourceFieldRef, 'fieldRef and resourceFieldRef can not be specified simultaneously');
    if (!fieldRef && !resourceFieldRef) errors.required(at, 'one of fieldRef and resourceFieldRef is required');
  }
}

interface Projection {
  secret?: Items & { name?: string };
  configMap?: Items & { name?: string };
  downwardAPI?: { items?: DownwardItem[] };
  serviceAccountToken?: { path?: string; expirationSeconds?: number };
}

function validateProjected(
  { sources, defaultMode }: { sources?: Projection[]; defaultMode?: number },
  at: string,
  errors: FieldErrors,
): void {
  validateMode(defaultMode, `${at}.defaultMode`, errors);
  (sources ?? []).forEach((source, index) => {
    const here = `${at}.sources[${index}]`;
    const kinds = Object.keys(source);
    for (const kind of kinds.slice(1))
      errors.forbidden(`${here}.${kind}`, 'may not specify more than 1 volume type per source');
    for (const kind of ['secret', 'configMap'] as const) {
      const files = source[kind];
      if (!files) continue;
      if (!files.name) errors.required(`${here}.${kind}.name`);
      validateItems(files, `${here}.${kind}`, errors);
    }
    if (source.downwardAPI) validateDownward(source.downwardAPI, `${here}.downwardAPI`, errors);
    const { serviceAccountToken: token } = source;
    if (!token) return;
    const seconds = token.expirationSeconds ?? 3600;
    if (seconds < 600)
      errors.invalid(
        `${here}.serviceAccountToken.expirationSeconds`,
        seconds,
        'may not specify a duration less than 10 minutes',
      );
    if (!token.path) errors.required(`${at}.path`);
  });
}
