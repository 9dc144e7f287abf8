import { isIP } from 'node:net';
import { type FieldErrors, isDnsSubdomain } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { validateIp } from './field-rules.ts';
import { ipWarnings } from './ip-addresses.ts';

interface Entry {
  ip?: string;
  hostname?: string;
  ipMode?: string;
}

const entriesOf = ({ status }: KubeObject): Entry[] =>
  (status as coreV1.ServiceStatus | undefined)?.loadBalancer?.ingress ?? [];

/** The address of a load balancer by default: traffic to it ends at this one. */
export function defaultIpMode(object: KubeObject): void {
  for (const entry of entriesOf(object)) if (entry.ip) entry.ipMode ??= 'VIP';
}

const PATH = 'status.loadBalancer.ingress';

/** Addresses that were there may stay as wrong as they are. */
function validateEntries(
  object: KubeObject,
  old: KubeObject,
  errors: FieldErrors,
  more?: (entry: Entry, at: string) => void,
): void {
  const known = entriesOf(old).map(({ ip }) => ip);
  entriesOf(object).forEach((entry, index) => {
    const at = `${PATH}[${index}]`;
    const { ip, hostname } = entry;
    if (ip && !known.includes(ip)) validateIp(ip, `${at}.ip`, errors);
    more?.(entry, at);
    if (!hostname) return;
    for (const text of isDnsSubdomain(hostname)) errors.invalid(`${at}.hostname`, hostname, text);
    if (isIP(hostname)) errors.invalid(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address');
  });
}

/** Addresses of load balancers in forms that not everybody reads alike. */
export function entryWarnings(object: KubeObject): string[] {
  return entriesOf(object).flatMap(({ ip }, index) => (ip ? ipWarnings(`${PATH}[${index}]`, ip) : []));
}

export function ingressStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateEntries(object, old, errors);
}

export function serviceStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if ((object.spec as coreV1.ServiceSpec).type !== 'LoadBalancer' && entriesOf(object).length) {
    errors.forbidden(PATH, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  validateEntries(object, old, errors, ({ ip, ipMode }, at) => {
    if (ipMode === undefined) {
      if (ip) errors.required(`${at}.ipMode`, 'must be specified when `ip` is set');
    } else if (!ip) errors.forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set');
    else if (ipMode !== 'VIP' && ipMode !== 'Proxy') errors.notSupported(`${at}.ipMode`, ipMode, ['Proxy', 'VIP']);
  });
}

interface PodAddresses {
  podIP?: string;
  podIPs?: { ip?: string }[];
  hostIP?: string;
  hostIPs?: { ip?: string }[];
}

const addressesOf = ({ status }: KubeObject): PodAddresses => (status ?? {}) as PodAddresses;

/** The single address of a pod, of older clients, is the first of its list. */
export function defaultPodIps(object: KubeObject): void {
  const status = addressesOf(object);
  if (status.podIP && status.podIPs?.[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
}

/** Addresses of a pod in forms that not everybody reads alike. */
export function podAddressWarnings(object: KubeObject): string[] {
  const status = addressesOf(object);
  return (['podIPs', 'hostIPs'] as const).flatMap((field) =>
    (status[field] ?? []).flatMap(({ ip = '' }, index) => ipWarnings(`status.${field}[${index}].ip`, ip)),
  );
}

export function podAddresses(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [now, before] = [addressesOf(object), addressesOf(old)];
  validatePair(now.podIPs, before.podIPs, 'status.podIPs', errors);
  const first = now.hostIPs?.[0];
  if (first && (now.hostIP ?? '') !== (first.ip ?? ''))
    errors.invalid('status.hostIPs[0].ip', first.ip ?? '', 'must be equal to `hostIP`');
  validatePair(now.hostIPs, before.hostIPs, 'status.hostIPs', errors);
}

/** One address, or one of each family. */
function validatePair(
  list: readonly { ip?: string }[] = [],
  old: readonly { ip?: string }[] = [],
  at: string,
  errors: FieldErrors,
): void {
  const known = old.map(({ ip }) => ip ?? '');
  const addresses = list.map(({ ip }) => ip ?? '');
  addresses.forEach((ip, index) => {
    if (!known.includes(ip)) validateIp(ip, `${at}[${index}]`, errors);
  });
  if (addresses.length < 2) return;
  const wrong = addresses.findIndex((ip) => !isIP(ip));
  if (wrong >= 0) errors.internal(at, `failed to check for dual stack with error:ip ${addresses[wrong]} is invalid`);
  const families = new Set(addresses.map((ip) => isIP(ip)));
  if (wrong >= 0 || families.size < 2 || addresses.length > 2)
    errors.invalid(
      at,
      addresses.map((IP) => ({ IP })),
      'may specify no more than one IP for each IP family',
    );
}
