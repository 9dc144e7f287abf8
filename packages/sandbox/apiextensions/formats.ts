import { isIP, isIPv6 } from 'node:net';
import { isDnsLabel, isDnsSubdomain } from '@tiphys/apimachinery';
import { parseDuration } from '@tiphys/cel';

const HOST =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const RGB = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const RGB_COLOUR = new RegExp(`^rgb\\(\\s*${RGB}\\s*,\\s*${RGB}\\s*,\\s*${RGB}\\s*\\)$`);
/** Units of durations as Scala writes them: any text that begins with a long name counts. */
const UNIT =
  '(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|week|wk|nanosecond|microsecond|millisecond|second|minute)';
const SCALA_DURATION = new RegExp(`\\d+\\s*${UNIT}s?(?![a-zµ])`, 'i');

const hexUuid = (version: string, variant = '[0-9a-f]') =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
const UUIDS = {
  uuid: hexUuid('[0-9a-f]'),
  uuid3: hexUuid('3'),
  uuid4: hexUuid('4', '[89ab]'),
  uuid5: hexUuid('5', '[89ab]'),
};

const isDate = (text: string) => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const [, hours = '', minutes = '', seconds = ''] =
    /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time ?? '') ?? [];
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** Zeros in front are let pass, as before Go 1.17. */
const isIPv4 = (text: string) => /^\d+(\.\d+){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

const isIsbn = (text: string, length: number) => {
  const digits = text.replace(/[\s-]/g, '');
  if (!(length === 10 ? /^\d{9}[\dX]$/ : /^\d{13}$/).test(digits)) return false;
  const weighted = [...digits].reduce((sum, digit, index) => {
    const weight = length === 10 ? index + 1 : index % 2 ? 3 : 1;
    return sum + weight * (digit === 'X' ? 10 : Number(digit));
  }, 0);
  return weighted % (length === 10 ? 11 : 10) === 0;
};

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRequestUri(text: string): boolean {
  return /^(\/|[A-Za-z][A-Za-z0-9+.-]*:)/.test(text) && !/[\s\p{Cc}]/u.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text);
}

/** The formats that are checked, by their names without dashes. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: (text) => parseDuration(text) !== undefined || SCALA_DURATION.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  password: () => true,
  uuid: (text) => UUIDS.uuid.test(text),
  uuid3: (text) => UUIDS.uuid3.test(text),
  uuid4: (text) => UUIDS.uuid4.test(text),
  uuid5: (text) => UUIDS.uuid5.test(text),
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text),
  cidr: (text) => {
    const [address = '', bits = '', ...more] = text.split('/');
    const version = isIPv4(address) ? 4 : isIP(address);
    return version > 0 && !more.length && /^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
  },
  mac: (text) =>
    /^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2){4,18}[0-9a-f]{2}$/i.test(text) ||
    /^([0-9a-f]{4}\.){2,9}[0-9a-f]{4}$/i.test(text),
  uri: isRequestUri,
  hostname: (text) => HOST.test(text) && text.length <= 255 && text.split('.').every((part) => part.length <= 63),
  email: (text) => /^(.*<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+)$/.test(text.trim()),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) => RGB_COLOUR.test(text),
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  isbn: (text) => isIsbn(text, 10) || isIsbn(text, 13),
  isbn10: (text) => isIsbn(text, 10),
  isbn13: (text) => isIsbn(text, 13),
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
};

/** Formats that came with this version: only defaults are checked by them, as objects of the version before know none. */
const NEW_FORMATS: typeof FORMATS = {
  k8sshortname: (text) => isDnsLabel(text).length === 0,
  k8slongname: (text) => isDnsSubdomain(text).length === 0,
};

/** The check of a format; undefined if it means nothing to the API server. */
export function formatCheck(format: string, isDefault = false): ((text: string) => boolean) | undefined {
  const name = format.replaceAll('-', '');
  return FORMATS[name] ?? (isDefault ? NEW_FORMATS[name] : undefined);
}
