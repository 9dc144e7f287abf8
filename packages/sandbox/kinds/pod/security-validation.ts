import type { FieldErrors } from '@tiphys/apimachinery';
import { oneOf, validateDescendingPath } from '../shared/field-rules.ts';
import { validateWindowsOptions, type WindowsOptions } from './windows-security.ts';

interface Profile {
  type?: string;
  localhostProfile?: string;
}

interface Security {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] };
  runAsUser?: number;
  runAsGroup?: number;
  procMount?: string;
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
  windowsOptions?: WindowsOptions;
}

interface PodSecurity extends Security {
  fsGroup?: number;
  supplementalGroups?: number[];
  fsGroupChangePolicy?: string;
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
  sysctls?: { name: string }[];
}

function validateId(id: number | undefined, path: string, errors: FieldErrors): void {
  if (id !== undefined && (id < 0 || id > 2147483647))
    errors.invalid(path, id, 'must be between 0 and 2147483647, inclusive');
}

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(profile: Profile | undefined, path: string, errors: FieldErrors): void {
  if (!profile) return;
  const { type = '', localhostProfile: local } = profile;
  if (type === 'Localhost') {
    if (local === undefined) errors.required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost');
    else validateDescendingPath(local, `${path}.localhostProfile`, errors);
    return;
  }
  if (local !== undefined)
    errors.invalid(`${path}.localhostProfile`, local, 'can only be set when seccomp type is Localhost');
  if (!type) errors.required(`${path}.type`, 'type is required when seccompProfile is set');
  else oneOf(type, PROFILES, `${path}.type`, errors);
}

const MAX_PROFILE = 4095;

function validateAppArmor(profile: Profile | undefined, path: string, errors: FieldErrors): void {
  if (!profile) return;
  const { type = '', localhostProfile: local } = profile;
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    if (local === undefined || local === '') errors.required(at, 'must be set when AppArmor type is Localhost');
    else if (local.trim() !== local) errors.invalid(at, local, 'must not be padded with whitespace');
    if (Buffer.byteLength(local ?? '') > MAX_PROFILE) errors.tooLong(at, MAX_PROFILE);
  } else if (type === 'RuntimeDefault' || type === 'Unconfined') {
    if (local !== undefined) errors.invalid(at, local, 'can only be set when AppArmor type is Localhost');
  } else if (type) errors.notSupported(`${path}.type`, type, PROFILES);
  else errors.required(`${path}.type`, 'type is required when appArmorProfile is set');
}

/** `hostUsers` says whether the pod's users are those of the host. */
export function validateContainerSecurity(
  context: Security,
  path: string,
  hostUsers: boolean,
  errors: FieldErrors,
): void {
  validateId(context.runAsUser, `${path}.runAsUser`, errors);
  validateId(context.runAsGroup, `${path}.runAsGroup`, errors);
  oneOf(context.procMount, ['Default', 'Unmasked'], `${path}.procMount`, errors);
  if (hostUsers && context.procMount === 'Unmasked')
    errors.invalid(`${path}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`');
  validateSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged)
      errors.invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
    for (const name of context.capabilities?.add ?? [])
      if (name === 'CAP_SYS_ADMIN')
        errors.invalid(
          path,
          context,
          'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
        );
  }
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors);
  validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`, errors);
}

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

export function validatePodSecurityContext(
  context: PodSecurity,
  path: string,
  host: { hostPID?: boolean; shareProcessNamespace?: boolean },
  errors: FieldErrors,
): void {
  validateId(context.fsGroup, `${path}.fsGroup`, errors);
  validateId(context.runAsUser, `${path}.runAsUser`, errors);
  validateId(context.runAsGroup, `${path}.runAsGroup`, errors);
  (context.supplementalGroups ?? []).forEach((group, index) => {
    validateId(group, `${path}.supplementalGroups[${index}]`, errors);
  });
  if (host.shareProcessNamespace && host.hostPID)
    errors.invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  const names = new Set<string>();
  (context.sysctls ?? []).forEach(({ name }, index) => {
    const at = `${path}.sysctls[${index}].name`;
    if (!name) errors.required(at);
    else if (name.length > 253 || !SYSCTL.test(name))
      errors.invalid(
        at,
        name,
        'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      );
    else if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
  });
  oneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${path}.fsGroupChangePolicy`, errors);
  validateSeccomp(context.seccompProfile, `${path}.seccompProfile`, errors);
  validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`, errors);
  validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`, errors);
  oneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${path}.supplementalGroupsPolicy`, errors);
  oneOf(context.seLinuxChangePolicy, ['Recursive'], `${path}.seLinuxChangePolicy`, errors);
}
