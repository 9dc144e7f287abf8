import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsSubdomain, isPathSegment, type Strategy } from '@tiphys/apimachinery';
import { formatAddress } from '@tiphys/cel';
import type { KubeObject, networkingV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { blockStart, parseCidr, parseIp } from '../shared/ip-addresses.ts';

/** IPAddresses and ServiceCIDRs: what addresses of Services are taken from. */
interface Parent {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
}

const parentOf = ({ spec }: KubeObject): Parent | undefined =>
  (spec as networkingV1.IPAddressSpec | undefined)?.parentRef;

/** The name of an address is the address, in canonical form. */
function addressProblems(name: string): string[] {
  const address = parseIp(name);
  if (!address) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (address.padded) return ['must not have leading 0s'];
  if (address.mapped) return ['must not be an IPv4-mapped IPv6 address'];
  const canonical = formatAddress(address);
  return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

export const ipAddress: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  nameRule: addressProblems,
  validate(object, errors) {
    const parent = parentOf(object);
    if (parent) validateParent(parent, errors);
    else errors.required('spec.parentRef');
  },
  validateUpdate(object, old, errors) {
    if (!isDeepStrictEqual(parentOf(object), parentOf(old)))
      errors.invalid('spec.parentRef', parentOf(object), 'field is immutable');
  },
};

function validateParent(parent: Parent, errors: FieldErrors): void {
  const at = 'spec.parentRef';
  const { group, namespace } = parent;
  if (group) for (const text of isDnsSubdomain(group)) errors.invalid(`${at}.group`, group, text);
  for (const field of ['resource', 'name'] as const) {
    const value = parent[field];
    if (!value) errors.required(`${at}.${field}`);
    else for (const text of isPathSegment(value)) errors.invalid(`${at}.${field}`, value, text);
  }
  if (namespace) for (const text of isPathSegment(namespace)) errors.invalid(`${at}.namespace`, namespace, text);
}

const cidrsOf = ({ spec }: KubeObject): string[] => (spec as networkingV1.ServiceCIDRSpec | undefined)?.cidrs ?? [];

export const serviceCidr: Strategy = {
  generation: false,
  statusSubresource: true,
  validateCreate: (object, errors) => validateCidrs(cidrsOf(object), errors),
  validateUpdate(object, old, errors) {
    const [now, before] = [cidrsOf(object), cidrsOf(old)];
    const immutable = (index: number) => {
      if (now[index] !== before[index]) errors.invalid(`spec.cidrs[${index}]`, now[index], 'field is immutable');
    };
    if (now.length === before.length) for (const index of now.keys()) immutable(index);
    else if (before.length === 1 && now.length === 2) {
      immutable(0);
      validateCidrs(now, errors);
    } else errors.invalid('spec.cidrs', now, 'field is immutable');
  },
};

const ONE_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function validateCidrs(cidrs: readonly string[], errors: FieldErrors): void {
  if (!cidrs.length) errors.required('spec.cidrs', 'at least one CIDR required');
  else if (cidrs.length > 2) errors.invalid('spec.cidrs', { CIDRs: cidrs }, 'may only hold up to 2 values');
  else {
    for (const [index, cidr] of cidrs.entries()) validateStrictCidr(cidr, `spec.cidrs[${index}]`, errors);
    const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.family);
    if (first && first === second) errors.invalid('spec.cidrs', cidrs, ONE_EACH);
  }
}

function validateStrictCidr(text: string, at: string, errors: FieldErrors): void {
  const block = parseCidr(text);
  if (!block) {
    errors.invalid(at, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
    return;
  }
  const start = blockStart(block);
  const canonical = `${formatAddress({ ...block, bits: start })}/${block.length}`;
  if (block.padded || block.paddedLength) errors.invalid(at, text, 'must not have leading 0s in IP or prefix length');
  else if (block.mapped) errors.invalid(at, text, 'must not have an IPv4-mapped IPv6 address');
  else if (start !== block.bits) errors.invalid(at, text, 'must not have bits set beyond the prefix length');
  else if (canonical !== text) errors.invalid(at, text, `must be in canonical form (${JSON.stringify(canonical)})`);
}

export const ipAddresses: BuiltinKind = {
  strategy: ipAddress,
  cells: (o, now) => {
    const [group, namespace] = [textAt(o, 'spec.parentRef.group'), textAt(o, 'spec.parentRef.namespace')];
    const parent = `${textAt(o, 'spec.parentRef.resource')}${group ? `.${group}` : ''}${namespace ? `/${namespace}` : ''}/${textAt(o, 'spec.parentRef.name')}`;
    return [name(o), parent, age(o, now)];
  },
};

export const serviceCidrs: BuiltinKind = {
  strategy: serviceCidr,
  cells: (o, now) => [name(o), listAt<string>(o, 'spec.cidrs').join(','), age(o, now)],
};
