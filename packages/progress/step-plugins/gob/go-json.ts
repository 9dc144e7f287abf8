/**
 * The forms that JSON has and Go's structs have not: numbers that may be texts, quantities, base64, times.
 */

/** A Go struct's value for JSON of a type that reads JSON itself; undefined for types that do not. */
export function specialStruct(struct: string, json: unknown): Record<string, unknown> | undefined {
  if (struct === 'intstr.IntOrString')
    return typeof json === 'number' ? { IntVal: json } : { Type: 1, StrVal: String(json) };
  // a quantity's number is private, and gob sends what is public
  if (struct === 'resource.Quantity') return { Format: quantityFormat(String(json)) };
  return undefined;
}

function quantityFormat(text: string): string {
  if (/[KMGTPE]i$/.test(text)) return 'BinarySI';
  return /[eE][+-]?\d+$/.test(text) ? 'DecimalExponent' : 'DecimalSI';
}

/** Seconds from the year 1, from which Go counts, to 1970. */
const yearOne = 62_135_596_800n;
const utc = [0xff, 0xff] as const;

/** Go's bytes of a time in RFC 3339. */
export function timeBytes(text: string): Uint8Array {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new Error(`${JSON.stringify(text)} is no time`);
  const whole = Math.floor(milliseconds / 1000);
  const bytes = Buffer.alloc(15);
  bytes.writeUInt8(1);
  bytes.writeBigInt64BE(BigInt(whole) + yearOne, 1);
  bytes.writeInt32BE((milliseconds - whole * 1000) * 1_000_000, 9);
  bytes.set(utc, 13);
  return bytes;
}

/** The time of Go's bytes, as Kubernetes writes it; undefined for the zero time. */
export function timeText(bytes: Uint8Array): string | undefined {
  const view = Buffer.from(bytes);
  if (view.length < 15) throw new Error(`a time of ${view.length} bytes`);
  const seconds = view.readBigInt64BE(1) - yearOne;
  if (seconds === -yearOne) return undefined;
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
}
