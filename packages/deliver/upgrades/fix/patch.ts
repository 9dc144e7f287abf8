import type { LineChange } from '../find/finding.ts';

const context = 3;

/** The patch of a file whose lines change in place, as `git apply` and `patch -p1` take it. */
export function patchOf(file: string, text: string, changes: readonly LineChange[]): string {
  const lines = text.split('\n');
  // after the last line end there is no line
  const unfinished = lines.at(-1) !== '';
  if (!unfinished) lines.pop();
  const changed = new Map(changes.map((change) => [change.line, change]));
  const hunks = rangesAround(
    [...changed.keys()].sort((a, b) => a - b),
    lines.length,
  );
  const body = hunks.flatMap(({ from, to }) => {
    const length = to - from + 1;
    const shown = lines.slice(from - 1, to).flatMap((line, index) => {
      const at = from + index;
      const end = unfinished && at === lines.length ? ['\\ No newline at end of file'] : [];
      const change = changed.get(at);
      return change ? [`-${change.before}`, ...end, `+${change.after}`, ...end] : [` ${line}`, ...end];
    });
    return [`@@ -${from},${length} +${from},${length} @@`, ...shown];
  });
  return [`--- a/${file}`, `+++ b/${file}`, ...body, ''].join('\n');
}

/** Lines to show around those that change; ranges that touch are one. */
function rangesAround(sorted: readonly number[], last: number): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const line of sorted) {
    const next = { from: Math.max(1, line - context), to: Math.min(last, line + context) };
    const before = ranges.at(-1);
    if (before && next.from <= before.to + 1) before.to = next.to;
    else ranges.push(next);
  }
  return ranges;
}
