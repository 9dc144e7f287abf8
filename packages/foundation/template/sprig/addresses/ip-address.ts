import { goQuote } from '@tiphys/go';

class Refusal extends Error {}

/** `netip.ParseAddr`: the version of an IP address, its zone, or the words of what is wrong with it. */
export function parseAddress(text: string): { readonly version: 4 | 6; readonly zone: string } | string {
  try {
    const mark = /[.:%]/.exec(text)?.[0];
    if (mark === '.') {
      readDotted(text);
      return { version: 4, zone: '' };
    }
    if (mark === ':') return { version: 6, zone: readColons(text) };
    throw new Refusal(mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `ParseAddr(${goQuote(text)}): ${error.message}`;
  }
}

function refuse(words: string, at = ''): never {
  throw new Refusal(at === '' ? words : `${words} (at ${goQuote(at)})`);
}

function readDotted(text: string): void {
  let [value, digits, fields] = [0, 0, 1];
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (/[0-9]/.test(char)) {
      if (digits === 1 && value === 0) refuse('IPv4 field has octet with leading zero');
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) refuse('IPv4 field has value >255');
    } else if (char === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.')
        refuse('IPv4 field must have at least one digit', text.slice(i));
      if (fields === 4) refuse('IPv4 address too long');
      fields++;
      value = 0;
      digits = 0;
    } else refuse('unexpected character', text.slice(i));
  }
  if (fields < 4) refuse('IPv4 address too short');
}

/** Returns the zone. */
function readColons(text: string): string {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') refuse('zone must be a non-empty string');
  let rest = percent < 0 ? text : text.slice(0, percent);
  let hasEllipsis = rest.startsWith('::');
  if (hasEllipsis) rest = rest.slice(2);
  if (hasEllipsis && rest === '') return zone;
  let groups = 0;
  while (groups < 8) {
    const digits = /^[0-9A-Fa-f]*/.exec(rest)?.[0] as string;
    if (digits.length > 4) refuse('each group must have 4 or less digits', rest);
    if (digits === '') refuse('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      if (!hasEllipsis && groups !== 6)
        refuse('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups > 6) refuse('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      readDotted(rest);
      rest = '';
      groups += 2;
      break;
    }
    groups++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') refuse('unexpected character, want colon', rest);
    if (rest.length === 1) refuse('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (hasEllipsis) refuse('multiple :: in address', rest);
    hasEllipsis = true;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  if (rest !== '') refuse('trailing garbage after address', rest);
  if (groups < 8 && !hasEllipsis) refuse('address string too short');
  if (groups === 8 && hasEllipsis) refuse('the :: must expand to at least one field of zeros');
  return zone;
}
