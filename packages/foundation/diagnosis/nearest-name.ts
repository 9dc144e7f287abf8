/** Longer names are not compared: they are no slips of a key. */
const longest = 64;

/** The one of the names that a person may have meant: at most two letters (of short names one) are another, missing or swapped. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  if (written.length > longest) return undefined;
  const most = written.length <= 4 ? 1 : 2;
  let nearest: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - written.length) > most) continue;
    const distance = distanceOf(written.toLowerCase(), name.toLowerCase());
    if (distance <= most && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { name, distance };
  }
  return nearest?.name;
}

/** What to say of a key of settings that is none: undefined unless it differs by a slip from one that is not set; others may be of newer versions. */
export function misspeltKey(
  written: string,
  { data, known }: { readonly data: Readonly<Record<string, unknown>>; readonly known: Iterable<string> },
): string | undefined {
  const nearest = nearestName(written, known);
  return nearest && data[nearest] === undefined ? `there is no such key; ${nearest} is one` : undefined;
}

/** Letters to change, add, drop or swap with their neighbour. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((next[j - 1] as number) + 1, (row[j] as number) + 1, (row[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] as number) + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
