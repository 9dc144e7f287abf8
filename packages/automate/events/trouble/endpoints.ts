import { redact } from '@tiphys/diagnosis';

/** Fields of events of a source, and of buses, that say where the other side is. */
const names = [
  'url',
  'hostAddress',
  'brokers',
  'broker',
  'addr',
  'address',
  'host',
  'hosts',
  'endpoint',
  'server',
  'fqdn',
  'fullyQualifiedNamespace',
];

/**
 * Where the other side of an event or a bus is, as it is written, without credentials; undefined where it says none. A path, which is what a
 * webhook has, is no such place.
 */
export function endpointOf(spec: unknown): string | undefined {
  if (typeof spec !== 'object' || spec === null) return undefined;
  const fields = new Map(Object.entries(spec));
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === 'string' && value && !value.startsWith('/')) return redact(value);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return redact(value.join(', '));
  }
  return undefined;
}
