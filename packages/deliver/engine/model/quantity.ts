const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const form = /^([+-]?(?:\d+\.?\d*|\.\d+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;

/** Value of a Kubernetes quantity such as `500m`, `1Gi`, `1e3` or a number; undefined if it is none. */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const match = form.exec(value);
  if (!match) return undefined;
  const [, digits = '', suffix = ''] = match;
  const factor = suffixes[suffix];
  return factor === undefined ? Number(`${digits}${suffix}`) : Number(digits) * factor;
}

/** Whether two quantities are the same amount, up to what a double can tell. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  if (left === undefined || right === undefined) return false;
  return left === right || Math.abs(left - right) <= Number.EPSILON * 4 * Math.max(Math.abs(left), Math.abs(right));
}
