import {
  type FieldErrors,
  isDnsLabel,
  isDnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
  validateLabels,
} from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { oneOf, validateEndpointIp, validateIp } from '../shared/field-rules.ts';
import { parseIp } from '../shared/ip-addresses.ts';

interface Endpoint {
  addresses?: string[] | null;
  hostname?: string;
  nodeName?: string;
  deprecatedTopology?: Record<string, string>;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
}

interface Slice {
  addressType?: string;
  ports?: { name?: string; protocol?: string; appProtocol?: string }[] | null;
  endpoints?: Endpoint[] | null;
}

export function validateEndpointSlice(object: KubeObject, errors: FieldErrors): void {
  const { addressType } = object as Slice;
  // Absent lists are stored as null.
  const ports = (object as Slice).ports ?? [];
  const endpoints = (object as Slice).endpoints ?? [];
  if (!addressType) errors.required('addressType');
  else oneOf(addressType, ['FQDN', 'IPv4', 'IPv6'], 'addressType', errors);
  ports.forEach(({ name = '', protocol, appProtocol }, index) => {
    const at = `ports[${index}]`;
    if (name) for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
    if (ports.findIndex((other) => (other.name ?? '') === name) < index) errors.duplicate(`${at}.name`, name);
    oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${at}.protocol`, errors);
    if (appProtocol !== undefined)
      for (const text of qualifiedNameProblems(appProtocol)) errors.invalid(`${at}.appProtocol`, appProtocol, text);
  });
  if (endpoints.length > 1000) errors.tooMany('endpoints', endpoints.length, 1000);
  else
    endpoints.forEach((endpoint, index) => {
      validateEndpoint(endpoint, addressType, `endpoints[${index}]`, errors);
    });
}

function validateEndpoint(endpoint: Endpoint, type: string | undefined, at: string, errors: FieldErrors): void {
  const { hostname, nodeName, deprecatedTopology, hints } = endpoint;
  validateAddresses(endpoint.addresses ?? [], type, `${at}.addresses`, errors);
  if (nodeName !== undefined)
    for (const text of isDnsSubdomain(nodeName)) errors.invalid(`${at}.nodeName`, nodeName, text);
  if (Object.keys(deprecatedTopology ?? {}).length > 16)
    errors.tooMany(`${at}.deprecatedTopology`, Object.keys(deprecatedTopology ?? {}).length, 16);
  validateLabels(deprecatedTopology, `${at}.deprecatedTopology`, errors);
  if (hostname !== undefined) for (const text of isDnsLabel(hostname)) errors.invalid(`${at}.hostname`, hostname, text);
  validateHints(hints?.forZones, `${at}.hints.forZones`, labelValueProblems, errors);
  validateHints(hints?.forNodes, `${at}.hints.forNodes`, isDnsSubdomain, errors);
}

function validateAddresses(
  addresses: readonly string[],
  type: string | undefined,
  at: string,
  errors: FieldErrors,
): void {
  if (!addresses.length) errors.required(at, 'must contain at least 1 address');
  if (addresses.length > 100) errors.tooMany(at, addresses.length, 100);
  addresses.forEach((address, index) => {
    const here = `${at}[${index}]`;
    if (type === 'FQDN') validateFullName(address, here, errors);
    if (type !== 'IPv4' && type !== 'IPv6') return;
    if (!validateIp(address, here, errors)) return;
    if (`IPv${parseIp(address)?.family}` !== type) errors.invalid(at, address, `must be an ${type} address`);
    validateEndpointIp(address, here, errors);
  });
}

/** A name with a domain. */
function validateFullName(name: string, at: string, errors: FieldErrors): void {
  if (!name) {
    errors.required(at);
    return;
  }
  const problems = isDnsSubdomain(name.replace(/\.$/, ''));
  for (const text of problems) errors.invalid(at, name, text);
  if (problems.length) return;
  if (name.replace(/\.$/, '').split('.').length < 2)
    errors.invalid(at, name, 'should be a domain with at least two segments separated by dots');
}

function validateHints(
  hints: readonly { name: string }[] | undefined,
  at: string,
  problems: (name: string) => string[],
  errors: FieldErrors,
): void {
  const list = hints ?? [];
  if (list.length > 8) {
    errors.tooMany(at, list.length, 8);
    return;
  }
  list.forEach(({ name }, index) => {
    const here = `${at}[${index}].name`;
    if (list.findIndex((other) => other.name === name) < index) errors.duplicate(here, name);
    for (const text of problems(name)) errors.invalid(here, name, text);
  });
}
