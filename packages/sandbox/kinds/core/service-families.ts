import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import { parseIp } from '../shared/ip-addresses.ts';
import type { ServiceSpec } from '../shared/shapes.ts';
import { validateClusterIps, validateFamilies } from './service-validation.ts';

/** Addresses of a Service and their families, on a cluster that has IPv4 alone. */
const same = (one: readonly string[] | undefined, other: readonly string[] | undefined): boolean =>
  isDeepStrictEqual(one ?? [], other ?? []);

/** Makes the one address and the list agree, where only one of them was meant to change. */
export function alignAddresses(now: ServiceSpec, before: ServiceSpec | undefined): void {
  if (!before) {
    if (now.clusterIP && !now.clusterIPs?.length) now.clusterIPs = [now.clusterIP];
    return;
  }
  if (!now.clusterIPs?.length && before.clusterIPs?.length && before.clusterIP === now.clusterIP)
    now.clusterIPs = before.clusterIPs;
  if (before.clusterIP === now.clusterIP || !same(before.clusterIPs, now.clusterIPs)) return;
  if (now.clusterIP) now.clusterIPs = [now.clusterIP];
  else delete now.clusterIPs;
}

/** Fills in policy and families; `refuse` throws what its check finds, before more is looked at. */
export function settleFamilies(
  now: ServiceSpec,
  before: ServiceSpec | undefined,
  refuse: (check: (spec: ServiceSpec, errors: FieldErrors) => void) => void,
): void {
  const kept =
    before?.ipFamilyPolicy === 'PreferDualStack' &&
    now.ipFamilyPolicy === before.ipFamilyPolicy &&
    same(now.clusterIPs, before.clusterIPs) &&
    same(now.ipFamilies, before.ipFamilies);
  if (kept) return;
  // Headless services without selector may have endpoints of both families.
  const open = now.clusterIP === 'None' && !Object.keys(now.selector ?? {}).length;
  now.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (open ? 'RequireDualStack' : 'SingleStack');
  refuse(validateClusterIps);
  refuse((spec, errors) => {
    if (before) shrink(spec, before, errors);
    if (spec.ipFamilyPolicy === 'SingleStack') validateSingle(spec, errors);
    infer(spec, errors);
  });
  if (!open) refuse(validateFamilies);
  if (!now.ipFamilies?.length) now.ipFamilies = ['IPv4'];
  if (open && now.ipFamilies.length < 2 && now.ipFamilyPolicy !== 'SingleStack')
    now.ipFamilies = [...now.ipFamilies, now.ipFamilies[0] === 'IPv4' ? 'IPv6' : 'IPv4'];
}

/** The second address or family goes where the policy says so, and not without. */
function shrink(now: ServiceSpec, before: ServiceSpec, errors: FieldErrors): void {
  const { ipFamilyPolicy: policy } = now;
  for (const [field, what] of [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const) {
    const [list, old] = [now[field] ?? [], before[field] ?? []];
    if (policy === 'SingleStack') {
      if (same(list, old) && list.length > 1) now[field] = list.slice(0, 1);
    } else if (list.length === 1 && old.length === 2 && list[0] === old[0])
      errors.invalid('spec.ipFamilyPolicy', policy, `must be 'SingleStack' to release the secondary ${what}`);
  }
}

function validateSingle({ clusterIPs, ipFamilies, ipFamilyPolicy }: ServiceSpec, errors: FieldErrors): void {
  for (const [list, what] of [
    [clusterIPs, 'cluster IPs'],
    [ipFamilies, 'IP families'],
  ] as const)
    if (list?.length === 2)
      errors.invalid(
        'spec.ipFamilyPolicy',
        ipFamilyPolicy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      );
}

/** Families that were not given are those of the addresses. */
function infer(spec: ServiceSpec, errors: FieldErrors): void {
  const { clusterIPs = [] } = spec;
  if (clusterIPs[0] === 'None') return;
  for (const [index, address] of clusterIPs.entries()) {
    if (index < (spec.ipFamilies?.length ?? 0)) continue;
    if (parseIp(address)?.family === 4) spec.ipFamilies = [...(spec.ipFamilies ?? []), 'IPv4'];
    else errors.invalid(`spec.clusterIPs[${index}]`, clusterIPs, 'IPv6 is not configured on this cluster');
  }
}

const isHeadless = ({ clusterIPs }: ServiceSpec): boolean => clusterIPs?.length === 1 && clusterIPs[0] === 'None';

/** What of addresses and families stays as it was allocated. */
export function validateFamilyUpdate(now: ServiceSpec, before: ServiceSpec, errors: FieldErrors): void {
  if (now.type === 'ExternalName' || before.type === 'ExternalName') return;
  const [headless, wasHeadless] = [isHeadless(now), isHeadless(before)];
  if (!headless || !wasHeadless) {
    keep(now, before, 'clusterIPs', errors);
    if (headless === wasHeadless) keep(now, before, 'ipFamilies', errors);
  }
}

const NAMES = { clusterIPs: 'clusterIP', ipFamilies: 'ipFamily' } as const;

function keep(now: ServiceSpec, before: ServiceSpec, field: keyof typeof NAMES, errors: FieldErrors): void {
  const [list, old] = [now[field] ?? [], before[field] ?? []];
  const at = `spec.${field}`;
  const changed = (index: number) =>
    errors.invalid(`${at}[${field === 'ipFamilies' ? 0 : index}]`, list, 'may not change once set');
  if (list.length === old.length) {
    for (const [index, value] of old.entries()) if (list[index] !== value) changed(index);
    return;
  }
  if (list.length < old.length && !list.length)
    errors.invalid(`${at}[0]`, list, `primary ${NAMES[field]} can not be unset`);
  if (list.length && old.length && list[0] !== old[0]) changed(0);
  if (list.length === 1 && old.length === 2 && now.ipFamilyPolicy !== 'SingleStack')
    errors.invalid(
      'spec.ipFamilyPolicy',
      now.ipFamilyPolicy,
      `must be set to 'SingleStack' when releasing the secondary ${NAMES[field]}`,
    );
}
