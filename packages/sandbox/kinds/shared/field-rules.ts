import { type FieldErrors, isDnsSubdomain } from '@tiphys/apimachinery';
import { formatAddress } from '@tiphys/cel';
import { parseCidr, parseIp } from './ip-addresses.ts';

/** What is wrong with the name of a port; empty if nothing. */
export function portNameProblems(name: string): string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}

/** A port by number or name. */
export function validatePort(port: string | number | undefined, path: string, errors: FieldErrors): void {
  if (typeof port === 'string') for (const text of portNameProblems(port)) errors.invalid(path, port, text);
  else if ((port ?? 0) < 1 || (port ?? 0) > 65535)
    errors.invalid(path, port ?? 0, 'must be between 1 and 65535, inclusive');
}

export function validateNonNegative(value: number | undefined, path: string, errors: FieldErrors): void {
  if ((value ?? 0) < 0) errors.invalid(path, value, 'must be greater than or equal to 0');
}

export function validateIp(text: string, path: string, errors: FieldErrors): boolean {
  if (parseIp(text)) return true;
  errors.invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  return false;
}

/** An address that can be one of an endpoint. */
export function validateEndpointIp(text: string, path: string, errors: FieldErrors): void {
  const address = parseIp(text);
  const form = address ? formatAddress(address) : '';
  if (!address) errors.invalid(path, text, 'must be a valid IP address');
  else if (address.bits === 0n) errors.invalid(path, text, `may not be unspecified (${text})`);
  else if (/^127\.|^::1$/.test(form))
    errors.invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  else if (/^169\.254\.|^fe[89ab]/.test(form))
    errors.invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  else if (/^224\.0\.0\.|^ff.2:/.test(form))
    errors.invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}

export function validateCidr(text: string, path: string, errors: FieldErrors): boolean {
  if (parseCidr(text)) return true;
  errors.invalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
  return false;
}

/** An address of an interface, with the bits of its network, in canonical form. */
export function validateInterfaceAddress(text: string, path: string, errors: FieldErrors): void {
  const block = parseCidr(text);
  if (!block) {
    errors.invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
    return;
  }
  const length = block.mapped && block.length > 32 ? block.length - 96 : block.length;
  const canonical = `${formatAddress(block)}/${length}`;
  if (text !== canonical) errors.invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`);
}

/** A path below another: relative, without `..`. */
export function validateDescendingPath(text: string, path: string, errors: FieldErrors): void {
  if (text.startsWith('/')) errors.invalid(path, text, 'must be a relative path');
  validateNoDots(text, path, errors);
}

/** A path of a file below a volume, which does not begin with two dots either. */
export function validateFilePath(text: string, path: string, errors: FieldErrors): void {
  validateDescendingPath(text, path, errors);
  if (text.startsWith('..') && !text.startsWith('../') && text !== '..')
    errors.invalid(path, text, "must not start with '..'");
}

/** A path of the host. */
export function validateNoDots(text: string, path: string, errors: FieldErrors): void {
  if (text.split('/').includes('..')) errors.invalid(path, text, "must not contain '..'");
}

const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** What is wrong with a key of a ConfigMap or Secret; empty if nothing. */
export function configKeyProblems(key: string): string[] {
  return [
    ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(/^[-._a-zA-Z0-9]+$/.test(key) ? [] : [KEY_TEXT]),
    ...(key === '.' || key === '..'
      ? [`must not be '${key}'`]
      : key.startsWith('..')
        ? ["must not start with '..'"]
        : []),
  ];
}

export function oneOf(value: string | undefined, allowed: readonly string[], path: string, errors: FieldErrors): void {
  if (value !== undefined && !allowed.includes(value)) errors.notSupported(path, value, allowed);
}

/** What is wrong with `acme.io/foo`; undefined if nothing. */
export function domainPathProblem(text: string): string | undefined {
  const slash = text.indexOf('/');
  const [domain, path] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (slash < 0 || !domain || !path) return 'must be a domain-prefixed path (such as "acme.io/foo")';
  return isDnsSubdomain(domain)[0];
}
