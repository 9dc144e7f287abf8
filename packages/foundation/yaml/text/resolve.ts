const tagPrefix = 'tag:yaml.org,2002:';

/** What the text of a scalar stands for. Integers beyond ±2^53 are bigints. */
export type Resolved =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: number | bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'str'; readonly value: string }
  | { readonly type: 'timestamp' };

const words = new Map<string, Resolved>();
const always = (value: Resolved, ...texts: string[]): void => {
  for (const text of texts) words.set(text, value);
};
const nothing: Resolved = { type: 'null' };
always({ type: 'bool', value: true }, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON');
always({ type: 'bool', value: false }, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF');
always(nothing, '', '~', 'null', 'Null', 'NULL');
always({ type: 'float', value: Number.NaN }, '.nan', '.NaN', '.NAN');
always({ type: 'float', value: Number.POSITIVE_INFINITY }, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF');
always({ type: 'float', value: Number.NEGATIVE_INFINITY }, '-.inf', '-.Inf', '-.INF');

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
const maxUint64 = 2n ** 64n - 1n;

/** The type of an untagged plain scalar by go-yaml v2: YAML 1.1's booleans, Go's integers, no base 60. */
export function resolvePlain(text: string): Resolved {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return resolveNumber(text, true) ?? { type: 'str', value: text };
  if (text.length <= 5) {
    const word = words.get(text);
    if (word) return word;
  }
  if (first === 0x2b || first === 0x2d) return resolveNumber(text, true) ?? { type: 'str', value: text };
  if (first === 0x2e) {
    const value = goFloat(text);
    if (value !== undefined) return { type: 'float', value };
  }
  return { type: 'str', value: text };
}

function resolveNumber(text: string, timestamps: boolean): Resolved | undefined {
  if (timestamps && isTimestamp(text)) return { type: 'timestamp' };
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  const integer = goInteger(plain);
  if (integer !== undefined) return { type: 'int', value: integer };
  if (/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return { type: 'float', value };
  }
  return undefined;
}

/** `strconv.ParseInt(text, 0, 64)`, then `ParseUint`. */
function goInteger(text: string): number | bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/.exec(text);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const digits =
    hex !== undefined
      ? `0x${hex}`
      : binary !== undefined
        ? `0b${binary}`
        : octal !== undefined
          ? `0o${octal}`
          : decimal;
  // Reading an integer of a million digits takes minutes, and it is none of 64 bits.
  if ((digits as string).length > 100 && (digits as string).replace(/^0[xbo]?0*/, '').length > 64) return undefined;
  if ((digits as string).length <= 15) {
    const value = Number(digits);
    return sign === '-' && value !== 0 ? -value : value;
  }
  const value = sign === '-' ? -BigInt(digits as string) : BigInt(digits as string);
  if (value < minInt64 || value > (sign === '' ? maxUint64 : maxInt64)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** `strconv.ParseFloat` of a text that begins with a point. */
function goFloat(text: string): number | undefined {
  if (!/^\.[0-9]+([eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** True for the forms of timestamps that go-yaml knows; it hands them on as strings. */
function isTimestamp(text: string): boolean {
  if (text.charCodeAt(4) !== 0x2d || !/^\d{4}-/.test(text)) return false;
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|([+-])(\d{2}):(\d{2}))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/.exec(
      text,
    );
  if (!match) return false;
  const [, year, month, day, h1, m1, s1, , zh, zm, h2, m2, s2] = match;
  const inRange = (value: string | undefined, max: number): boolean => value === undefined || Number(value) <= max;
  if (!inRange(h1 ?? h2, 23) || !inRange(m1 ?? m2, 59) || !inRange(s1 ?? s2, 59)) return false;
  if (!inRange(zh, 24) || !inRange(zm, 60)) return false;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}

const resolvable = new Set(
  ['', 'str', 'bool', 'int', 'float', 'null', 'timestamp'].map((name) => (name === '' ? '' : tagPrefix + name)),
);

/** The short form of a tag, as messages show it. */
export function shortTag(tag: string): string {
  return tag.startsWith(tagPrefix) ? `!!${tag.slice(tagPrefix.length)}` : tag;
}

/** The value of a scalar with a tag, or the message of the error. */
export function resolveTagged(
  tag: string,
  text: string,
): Resolved | { readonly type: 'error'; readonly message: string } {
  if (tag === `${tagPrefix}binary`) return decodeBase64(text);
  if (!resolvable.has(tag) || tag === `${tagPrefix}str`) return { type: 'str', value: text };
  let resolved = resolvePlain(text);
  if (resolved.type === 'timestamp' && tag !== `${tagPrefix}timestamp`)
    resolved = resolveNumber(text, false) ?? { type: 'str', value: text };
  const wanted = shortTag(tag);
  if (wanted === `!!${resolved.type}`) return resolved;
  if (wanted === '!!float' && resolved.type === 'int') return { type: 'float', value: Number(resolved.value) };
  return { type: 'error', message: `cannot decode !!${resolved.type} \`${text}\` as a ${wanted}` };
}

function decodeBase64(text: string): Resolved | { type: 'error'; message: string } {
  const compact = text.replace(/[\r\n]/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    return { type: 'error', message: '!!binary value contains invalid base64 data' };
  }
  // JSON has no bytes: what is not UTF-8 is replaced, as Go's encoder does.
  return { type: 'str', value: Buffer.from(compact, 'base64').toString('utf8') };
}
