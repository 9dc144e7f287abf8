import { goQuoteRune } from '@tiphys/go';
import { compileRegex, GoUrlError, hostName, parseAddress, parseTime, parseUrl, RegexError } from '@tiphys/template';

/** What is wrong with a text, in the words of Helm's library; undefined if nothing is. */
type Check = (text: string) => string | undefined;

/** The first character that is not in the class. */
function stranger(text: string, allowed: RegExp): string | undefined {
  for (const char of text) if (!allowed.test(char)) return goQuoteRune(char.codePointAt(0) as number);
  return undefined;
}

const jsonPointer: Check = (text) => {
  if (text === '') return undefined;
  if (!text.startsWith('/')) return 'not starting with /';
  return /~(?![01])/.test(text) ? '~ must be followed by 0 or 1' : undefined;
};

const relativePointer: Check = (text) => {
  const digits = /^[0-9]*/.exec(text)?.[0] as string;
  if (digits === '') return 'must start with non-negative integer';
  if (digits.length > 1 && digits.startsWith('0')) return 'starts with zero';
  const rest = text.slice(digits.length);
  return rest === '#' ? undefined : jsonPointer(rest);
};

const uuid: Check = (text) => {
  const groups = text.split('-');
  const sizes = [8, 4, 4, 4, 12];
  if (groups.length !== sizes.length) return `must have ${sizes.length} elements`;
  for (const [i, group] of groups.entries()) {
    if (Buffer.byteLength(group) !== sizes[i]) return `element ${i + 1} must be ${sizes[i]} characters long`;
    const char = stranger(group, /[0-9A-Fa-f]/);
    if (char !== undefined) return `non-hex character ${char}`;
  }
  return undefined;
};

const duration: Check = (text) => {
  if (!text.startsWith('P')) return 'must start with P';
  const body = text.slice(1);
  if (body === '') return 'nothing after P';
  if (body.endsWith('W')) {
    const weeks = body.slice(0, -1);
    if (weeks === '') return 'no number in week';
    return /^[0-9]*$/.test(weeks) ? undefined : 'invalid week';
  }
  const parts = body.split('T');
  for (const [i, part] of parts.entries()) {
    if (i > 0 && part === '') return 'no time elements';
    const all = ['YMD', 'HMS'][i];
    if (all === undefined) return 'more than one T';
    const fault = durationPart(part, all);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

function durationPart(part: string, all: string): string | undefined {
  let units = all;
  let rest = part;
  while (rest !== '') {
    const digits = /^[0-9]*/.exec(rest)?.[0] as string;
    if (digits === '') return 'missing number';
    const unit = rest[digits.length];
    if (unit === undefined) return 'missing unit';
    const at = units.indexOf(unit);
    if (at < 0) return all.includes(unit) ? `unit ${rune(unit)} out of order` : `invalid unit ${rune(unit)}`;
    units = units.slice(at + 1);
    rest = rest.slice(digits.length + 1);
  }
  return undefined;
}

function rune(char: string): string {
  return goQuoteRune(char.codePointAt(0) as number);
}

const ipv4: Check = (text) => {
  const groups = text.split('.');
  if (groups.length !== 4) return 'expected four decimals';
  for (const group of groups) {
    if (group.length > 1 && group.startsWith('0')) return 'leading zeros';
    if (!/^[+-]?[0-9]+$/.test(group)) return `strconv.Atoi: parsing ${JSON.stringify(group)}: invalid syntax`;
    const value = Number(group);
    if (Math.abs(value) >= 2 ** 63) return `strconv.Atoi: parsing ${JSON.stringify(group)}: value out of range`;
    if (value < 0 || value > 255) return 'decimal must be between 0 and 255';
  }
  return undefined;
};

const ipv6: Check = (text) => {
  if (!text.includes(':')) return 'missing colon';
  const address = parseAddress(text);
  if (typeof address === 'string') return address;
  return address.zone === '' ? undefined : 'zone id is not a part of ipv6 address';
};

const host: Check = (text) => {
  const name = text.replace(/\.$/, '');
  if (Buffer.byteLength(name) > 253) return 'more than 253 characters long';
  for (const label of name.split('.')) {
    const size = Buffer.byteLength(label);
    if (size < 1 || size > 63) return 'label must be 1 to 63 characters long';
    if (label.startsWith('-')) return 'label starts with hyphen';
    if (label.endsWith('-')) return 'label ends with hyphen';
    const char = stranger(label, /[A-Za-z0-9-]/);
    if (char !== undefined) return `invalid character ${char}`;
  }
  return undefined;
};

const email: Check = (text) => {
  if (Buffer.byteLength(text) > 254) return 'more than 255 characters long';
  const at = text.lastIndexOf('@');
  if (at < 0) return 'missing @';
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const fault = localPart(local);
  if (fault !== undefined) return fault;
  if (domain.startsWith('[') && domain.endsWith(']')) {
    const address = domain.slice(1, -1);
    const isNew = address.startsWith('IPv6:');
    const wrong = isNew ? ipv6(address.slice(5)) : ipv4(address);
    return wrong === undefined ? undefined : `invalid ipv${isNew ? 6 : 4} address: ${wrong}`;
  }
  const wrong = host(domain);
  return wrong === undefined ? undefined : `invalid domain: ${wrong}`;
};

function localPart(local: string): string | undefined {
  if (Buffer.byteLength(local) > 64) return 'local part more than 64 characters long';
  if (local.length > 1 && local.startsWith('"') && local.endsWith('"')) {
    return /[\\"]/.test(local.slice(1, -1))
      ? 'backslash and quote are not allowed within quoted local part'
      : undefined;
  }
  if (local.startsWith('.')) return 'starts with dot';
  if (local.endsWith('.')) return 'ends with dot';
  if (local.includes('..')) return 'consecutive dots';
  const char = stranger(local, /[A-Za-z0-9.!#$%&'*+\-/=?^_`{|}~]/);
  return char === undefined ? undefined : `invalid character ${char}`;
}

const date: Check = (text) => {
  const parsed = parseTime('2006-01-02', text);
  return typeof parsed === 'string' ? parsed : undefined;
};

const clock: Check = (text) => {
  if (text.length < 9) return 'less than 9 characters long';
  if (text[2] !== ':' || text[5] !== ':') return 'missing colon in correct place';
  const parts = text.slice(0, 8).split(':').map(wholeNumber);
  if (parts.some((part) => part === undefined)) return 'invalid hour/min/sec';
  if (parts.some((part) => (part as number) < 0)) return 'non-positive hour/min/sec';
  let [hour, minute] = parts as [number, number];
  const second = parts[2] as number;
  if (hour > 23 || minute > 59 || second > 60) return 'hour/min/sec out of range';
  let rest = text.slice(8);
  if (rest.startsWith('.')) {
    const digits = /^[0-9]*/.exec(rest.slice(1))?.[0] as string;
    if (digits === '') return 'no digits in second fraction';
    rest = rest.slice(1 + digits.length);
  }
  if (rest !== 'z' && rest !== 'Z') {
    const offset = zoneOffset(rest);
    if (typeof offset === 'string') return offset;
    const minutes = (hour * 60 + minute - offset + 48 * 60) % (24 * 60);
    [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  }
  return second >= 60 && (hour !== 23 || minute !== 59) ? 'invalid leap second' : undefined;
};

function wholeNumber(text: string): number | undefined {
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Minutes east of Greenwich, or what is wrong. */
function zoneOffset(text: string): number | string {
  if (text.length !== 6) return 'offset must be 6 characters long';
  if (!/^[+-]/.test(text)) return 'offset must begin with plus/minus';
  if (text[3] !== ':') return 'missing colon in offset in correct place';
  const hours = wholeNumber(text.slice(1, 3));
  const minutes = wholeNumber(text.slice(4));
  if (hours === undefined || minutes === undefined) return 'invalid hour/min in offset';
  if (hours < 0 || minutes < 0) return 'non-positive hour/min in offset';
  if (hours > 23 || minutes > 59) return 'hour/min in offset out of range';
  return (hours * 60 + minutes) * (text[0] === '+' ? 1 : -1);
}

const dateTime: Check = (text) => {
  if (text.length < 20) return 'less than 20 characters long';
  if (!/[tT]/.test(text[10] as string)) return '11th character must be t or T';
  const wrongDate = date(text.slice(0, 10));
  if (wrongDate !== undefined) return `invalid date element: ${wrongDate}`;
  const wrongTime = clock(text.slice(11));
  return wrongTime === undefined ? undefined : `invalid time element: ${wrongTime}`;
};

const period: Check = (text) => {
  const slash = text.indexOf('/');
  if (slash < 0) return 'missing slash';
  const [start, end] = [text.slice(0, slash), text.slice(slash + 1)];
  const check = (what: string, part: string, isDuration: boolean): string | undefined => {
    const wrong = isDuration ? duration(part) : dateTime(part);
    return wrong === undefined ? undefined : `invalid ${what} ${isDuration ? 'duration' : 'date-time'}: ${wrong}`;
  };
  const startsWithSpan = start.startsWith('P');
  return check('start', start, startsWithSpan) ?? check('end', end, !startsWithSpan && end.startsWith('P'));
};

function url(text: string): ReturnType<typeof parseUrl> | string {
  try {
    const parsed = parseUrl(text);
    const name = hostName(parsed.host);
    if (name.includes(':')) {
      if (!/\[.*\]/.test(parsed.host)) return 'ipv6 address not enclosed in brackets';
      const wrong = ipv6(name);
      if (wrong !== undefined) return `invalid ipv6 address: ${wrong}`;
    }
    return parsed;
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error;
    return error.message;
  }
}

const uri: Check = (text) => {
  const parsed = url(text);
  if (typeof parsed === 'string') return parsed;
  return parsed.scheme === '' ? 'relative url' : undefined;
};

const uriReference: Check = (text) => {
  if (text.includes('\\')) return 'contains \\';
  const parsed = url(text);
  return typeof parsed === 'string' ? parsed : undefined;
};

const uriTemplate: Check = (text) => {
  const parsed = url(text);
  if (typeof parsed === 'string') return parsed;
  for (const part of parsed.rawPath.split('/')) {
    const braces = part.replace(/%7B/gi, '{').replace(/%7D/gi, '}').replace(/[^{}]/g, '');
    if (/^}|{{|}}/.test(braces)) return 'nested curly braces';
    if (braces.endsWith('{')) return 'no matching closing brace';
  }
  return undefined;
};

const semver: Check = (text) => {
  const plus = text.indexOf('+');
  if (plus >= 0) {
    const build = text.slice(plus + 1);
    if (build === '') return 'build is empty';
    for (const part of build.split('.')) {
      if (part === '') return 'build identifier is empty';
      const char = stranger(part, /[0-9A-Za-z-]/);
      if (char !== undefined) return `invalid character ${char} in build identifier`;
    }
  }
  const version = plus < 0 ? text : text.slice(0, plus);
  const minus = version.indexOf('-');
  if (minus >= 0) {
    for (const part of version.slice(minus + 1).split('.')) {
      if (part === '') return 'pre-release identifier is empty';
      const char = stranger(part, /[0-9A-Za-z-]/);
      if (char !== undefined) return `invalid character ${char} in pre-release identifier`;
      if (/^0[0-9]+$/.test(part)) return 'pre-release numeric identifier starts with zero';
    }
  }
  const numbers = (minus < 0 ? version : version.slice(0, minus)).split('.');
  if (numbers.length !== 3) return 'versionCore must have 3 numbers separated by dot';
  for (const [i, number] of numbers.entries()) {
    const name = ['major', 'minor', 'patch'][i];
    if (number === '') return `${name} is empty`;
    if (number.length > 1 && number.startsWith('0')) return `${name} starts with zero`;
    if (!/^[0-9]+$/.test(number)) return `${name} contains non-digit`;
  }
  return undefined;
};

const regex: Check = (text) => {
  try {
    compileRegex(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    return error.message;
  }
};

/** The formats that Helm's library knows; it ignores all others. */
export const formats: ReadonlyMap<string, Check> = new Map([
  ['json-pointer', jsonPointer],
  ['relative-json-pointer', relativePointer],
  ['uuid', uuid],
  ['duration', duration],
  ['period', period],
  ['ipv4', ipv4],
  ['ipv6', ipv6],
  ['hostname', host],
  ['email', email],
  ['date', date],
  ['time', clock],
  ['date-time', dateTime],
  ['uri', uri],
  ['iri', uri],
  ['uri-reference', uriReference],
  ['iri-reference', uriReference],
  ['uri-template', uriTemplate],
  ['semver', semver],
  ['regex', regex],
]);
