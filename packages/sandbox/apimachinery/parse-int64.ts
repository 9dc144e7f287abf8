/** A decimal as Go's ParseInt reads it of 64 bits, which are more than a number can tell apart; undefined for what it refuses. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
