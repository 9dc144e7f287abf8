import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A chart of test/charts, and the flags with which it is rendered: one case for each list. */
export interface ChartCases {
  readonly name: string;
  readonly path: string;
  readonly flags: readonly (readonly string[])[];
}

/**
 * The charts in a folder. A chart is rendered once without flags, once for each file of its `value-sets` or `ci`, and
 * once for each line of its `flags.txt`: words that a space divides, `\s` for a space in a word.
 */
export function chartCases(folder: string): ChartCases[] {
  if (existsSync(join(folder, 'Chart.yaml'))) return [casesOf(folder)];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'Chart.yaml')))
    .map((entry) => casesOf(join(folder, entry.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function casesOf(path: string): ChartCases {
  const sets = ['value-sets', 'ci'].flatMap((name) => {
    const folder = join(path, name);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .sort()
      .map((file) => ['-f', `@/${name}/${file}`]);
  });
  const list = join(path, 'flags.txt');
  const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const flags = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ').map((word) => word.replaceAll('\\s', ' ')));
  return { name: path.slice(path.lastIndexOf('/') + 1), path, flags: [[], ...sets, ...flags] };
}

/** The arguments of a render; `@/` in a flag is the chart's folder. */
export function templateArguments(path: string, flags: readonly string[]): string[] {
  return ['template', 'parity', path, ...flags.map((flag) => flag.replaceAll('@/', `${path}/`))];
}
