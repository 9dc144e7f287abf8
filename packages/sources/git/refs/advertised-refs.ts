import type { RefTable } from './ref-table.ts';

const zero = /^0+$/;
const line = /^([0-9a-f]{40}|[0-9a-f]{64}) ([^\0\n]+)(?:\0([^\n]*))?\n?$/;

/**
 * Reads what a host answers to `info/refs?service=git-upload-pack`, by protocol version 0 or 1 of gitprotocol-http(5); undefined where it is
 * nothing that this reads to its end, such as an answer of version 2, of a host without refs, or one that is cut off.
 */
export function parseAdvertisedRefs(body: Buffer): RefTable | undefined {
  const refs = new Map<string, string>();
  const peeled = new Map<string, string>();
  const symbolic = new Map<string, string>();
  let flushes = 0;
  let at = 0;
  while (flushes < 2) {
    const length = lengthAt(body, at);
    if (length === undefined || at + Math.max(length, 4) > body.length) return undefined;
    const text = length === 0 ? '' : body.toString('utf8', at + 4, at + length);
    at += Math.max(length, 4);
    if (length === 0) {
      flushes++;
      continue;
    }
    if (flushes === 0) {
      if (text.trimEnd() !== '# service=git-upload-pack') return undefined;
      continue;
    }
    if (refs.size === 0 && text.trimEnd() === 'version 1') continue;
    const [, id, name, capabilities] = line.exec(text) ?? [];
    if (!id || !name || zero.test(id)) return undefined;
    for (const capability of capabilities?.split(' ') ?? []) {
      const [, from, to] = /^symref=([^:]+):(.+)$/.exec(capability) ?? [];
      if (from && to) symbolic.set(from, to);
    }
    if (name.endsWith('^{}')) peeled.set(name.slice(0, -3), id);
    else refs.set(name, id);
  }
  return refs.size > 0 ? { refs, peeled, symbolic } : undefined;
}

/** The length that a packet line begins with, its four digits in it; 0 for a flush. Undefined where there is none. */
function lengthAt(body: Buffer, at: number): number | undefined {
  const digits = body.toString('latin1', at, at + 4);
  if (!/^[0-9a-f]{4}$/.test(digits)) return undefined;
  const length = Number.parseInt(digits, 16);
  return length === 0 || length >= 4 ? length : undefined;
}
