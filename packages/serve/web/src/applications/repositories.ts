/** `2 of the last 3 checks failed`: what the marks of results mean, for screens that are not seen. */
export function resultWords(results: string): string {
  const failed = [...results].filter((result) => result === 'F').length;
  const checks = results.length === 1 ? 'check' : `${results.length} checks`;
  if (failed === 0) return `the last ${checks} succeeded`;
  if (failed === results.length) return `the last ${checks} failed`;
  return `${failed} of the last ${checks} failed`;
}
