import { printYaml } from '@tiphys/yaml';

/** Where commands print; colours only when it is a terminal and NO_COLOR is unset. */
export interface Output {
  out(text: string): void;
  error(text: string): void;
  /** Begins a new screen, where there is one. */
  clear?(): void;
  readonly colours: boolean;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

export function terminalOutput(stdout: Stream, stderr: Stream, env: NodeJS.ProcessEnv): Output {
  const print = (stream: Stream) => (text: string) => void stream.write(`${stream.isTTY ? harmless(text) : text}\n`);
  return {
    out: print(stdout),
    error: print(stderr),
    clear: () => void (stdout.isTTY && stdout.write('\u001b[H\u001b[2J')),
    colours: Boolean(stdout.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

/** Colours and weights, and each control character but the end of a line and the tabulator; the `\r` of a line's end counts to that. */
const controls = /\u001b\[[0-9;]{0,20}m|\r(?:\n|$)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * A text that a terminal shows and does not obey: messages, logs and manifests are others', and could move the cursor, hide what was printed or
 * name the window (CVE-2021-25743 of kubectl). Control characters are shown as `cat -v` shows them; colours stay, but for the hidden one.
 */
export function harmless(text: string): string {
  return text.replace(controls, (found, index: number) => {
    const isColour = found.startsWith('\u001b[') && !/[[;]0*8[;m]/.test(found);
    const isEndOfLine = found === '\r\n' || (found === '\r' && index === text.length - 1);
    return isColour || isEndOfLine ? found : [...found].map(shown).join('');
  });
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x7f) return '^?';
  if (code >= 0x80) return `M-${shown(String.fromCharCode(code - 0x80))}`;
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : character;
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
