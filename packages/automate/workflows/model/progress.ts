/** `N/M` as numbers; undefined unless 0 ≤ N ≤ M and M > 0. */
export function parseProgress(text: string | undefined): { done: number; all: number } | undefined {
  const match = /^(\d{1,15})\/(\d{1,15})$/.exec(text ?? '');
  if (!match) return undefined;
  const done = Number(match[1]);
  const all = Number(match[2]);
  return all > 0 && done <= all ? { done, all } : undefined;
}
