/** RFC 3339 with six decimals, as MicroTime fields want. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
