/** Kubernetes' form of a time, with whole seconds, from milliseconds since the epoch. */
export function stamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
