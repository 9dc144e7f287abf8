/** Kubernetes' form of a time: RFC 3339 with whole seconds, from milliseconds since the epoch. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
