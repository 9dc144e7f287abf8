/** Rows as helm prints tables: columns padded and divided by tabs; what is wider than `most` is cut. */
export function printTable(rows: readonly (readonly string[])[], most = 0): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      const width = most > 0 ? Math.min(lengthOf(cell), most) : lengthOf(cell);
      widths[column] = Math.max(widths[column] ?? 0, width);
    }
  }
  return rows.map((row) => row.map((cell, column) => resized(cell, widths[column] ?? 0)).join('\t')).join('\n');
}

function lengthOf(text: string): number {
  return [...text].length;
}

function resized(text: string, width: number): string {
  const length = lengthOf(text);
  if (width === 0 || length === width) return text;
  if (length < width) return text + ' '.repeat(width - length);
  return `${[...text].slice(0, Math.max(0, width - 3)).join('')}...`;
}
