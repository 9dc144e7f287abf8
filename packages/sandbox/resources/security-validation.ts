import type { FieldErrors } from '../machinery/field-errors.ts';
import { oneOf } from './field-rules.ts';

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
}

interface PodSecurity extends Security {
  fsGroup?: number;
  supplementalGroups?: number[];
  fsGroupChangePolicy?: string;
  sysctls?: { name: string }[];
}

function validateId(id: number | undefined, path: string, errors: FieldErrors): void {
  if (id !== undefined && (id < 0 || id > 2147483647))
    errors.invalid(path, id, 'must be between 0 and 2147483647, inclusive');
}

function validateProfile(
  profile: Profile | undefined,
  { path, name, errors }: { path: string; name: string; errors: FieldErrors },
): void {
  if (!profile) return;
  const { type = '', localhostProfile } = profile;
  if (type === 'Localhost') {
    if (!localhostProfile) errors.required(`${path}.localhostProfile`, `must be set when ${name} type is Localhost`);
  } else {
    if (localhostProfile && name === 'seccomp')
      errors.invalid(`${path}.localhostProfile`, localhostProfile, 'can only be set when seccomp type is Localhost');
    if (!type) errors.required(`${path}.type`, 'type is required when seccompProfile is set');
    else oneOf(type, ['Localhost', 'RuntimeDefault', 'Unconfined'], `${path}.type`, errors);
  }
}

export function validateContainerSecurity(context: Security, path: string, errors: FieldErrors): void {
  validateId(context.runAsUser, `${path}.runAsUser`, errors);
  validateId(context.runAsGroup, `${path}.runAsGroup`, errors);
  oneOf(context.procMount, ['Default', 'Unmasked'], `${path}.procMount`, errors);
  validateProfile(context.seccompProfile, { path: `${path}.seccompProfile`, name: 'seccomp', errors });
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
  validateProfile(context.appArmorProfile, { path: `${path}.appArmorProfile`, name: 'AppArmor', errors });
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
  validateProfile(context.seccompProfile, { path: `${path}.seccompProfile`, name: 'seccomp', errors });
  validateProfile(context.appArmorProfile, { path: `${path}.appArmorProfile`, name: 'AppArmor', errors });
}
