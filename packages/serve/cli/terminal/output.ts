import { printYaml } from '@tiphys/yaml';

/** Where commands print; colours only when it is a terminal and NO_COLOR is unset. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
  readonly colours: boolean;
}

export function terminalOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  return {
    out: (text) => void stdout.write(`${text}\n`),
    error: (text) => void stderr.write(`${text}\n`),
    colours: Boolean(stdout.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

const codes = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, grey: 90, bold: 1 } as const;

export function paint(output: Output, colour: keyof typeof codes, text: string): string {
  return output.colours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}

/** Columns padded to their widest cell and two spaces apart, as Go's tabwriter prints them. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(0, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] as number))).join('  '),
    )
    .join('\n');
}

/** `-o json` and `-o yaml`. */
export function structured(format: 'json' | 'yaml', value: unknown): string {
  return format === 'json' ? JSON.stringify(value, undefined, 2) : printYaml(value as never).trimEnd();
}
