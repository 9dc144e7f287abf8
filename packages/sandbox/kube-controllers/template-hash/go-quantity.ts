const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const largest = 2n ** 63n - 1n;

/**
 * The fields of the `resource.Quantity` that Go reads from a quantity in the API server's form, as spew prints them: a number
 * of 64 bits where the digits are few, which keeps the text where that is short for certain; a big one otherwise.
 */
export function dumpQuantity(text: string): string {
  if (text === '0') return fields({ value: 0n, scale: 0, text, format: 'DecimalSI' });
  const [, sign = '', digits = '', suffix = ''] = /^([+-]?)(\d*)(.*)$/.exec(text) ?? [];
  const number = BigInt(digits || '0');
  const power = binary.indexOf(suffix) + 1;
  if (power > 0) {
    const value = number << BigInt(10 * power);
    if (digits.length + 3 * power <= 14 && value <= largest)
      return fields({
        value: signed(sign, value),
        scale: 0,
        text: number % 8n === 0n ? '' : text,
        format: 'BinarySI',
      });
    const capped = value > largest ? largest : value;
    return fields({ big: { negative: sign === '-', value: capped * 10n ** 9n }, text: '', format: 'BinarySI' });
  }
  const scale = decimal[suffix] ?? Number(suffix.slice(1));
  const format = Object.hasOwn(decimal, suffix) ? 'DecimalSI' : 'DecimalExponent';
  if (digits.length <= 18 && scale >= -9)
    return fields({
      value: signed(sign, number),
      scale,
      text: scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0') ? text : '',
      format,
    });
  const value = scale >= -9 ? number * 10n ** BigInt(scale + 9) : roundedUp(number, 10n ** BigInt(-scale - 9));
  return fields({ big: { negative: sign === '-', value }, text: '', format });
}

interface GoQuantity {
  value?: bigint;
  scale?: number;
  /** In units of 10^-9. */
  big?: { negative: boolean; value: bigint };
  text: string;
  format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

function fields({ value = 0n, scale = 0, big, text, format }: GoQuantity): string {
  const amount = big
    ? `{unscaled:(big.Int){neg:(bool)${big.negative} abs:(big.nat)[${words(big.value).join(' ')}]} scale:(inf.Scale)9}`
    : '<nil>';
  return `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)${amount}} s:(string)${text} Format:(resource.Format)${format}}`;
}

function signed(sign: string, value: bigint): bigint {
  return sign === '-' ? -value : value;
}

function roundedUp(value: bigint, unit: bigint): bigint {
  return (value + unit - 1n) / unit;
}

/** The machine words of a big number, lowest first. */
function words(value: bigint): bigint[] {
  const found: bigint[] = [];
  for (let rest = value; rest > 0n; rest >>= 64n) found.push(rest & 0xffff_ffff_ffff_ffffn);
  return found;
}
