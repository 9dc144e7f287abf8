/** A stretch of a line as its program coloured it. */
export interface ColouredText {
  readonly text: string;
  /** Of the eight of terminals; absent for the usual one. */
  readonly colour?: TerminalColour;
  readonly bold?: true;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type TerminalColour = (typeof colours)[number];

const colourCode = /\u001b\[([0-9;:]*)m/g;

/** Without the codes that colour terminals, nor the others that move their cursor. */
export function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replace(/\u001b\[[0-9;:?]*[A-Za-z]/g, '') : text;
}

/** The stretches of a line by the colour codes in it; undefined for a line without any, as most are. */
export function colouredParts(line: string): ColouredText[] | undefined {
  if (!line.includes('\u001b[')) return undefined;
  const parts: ColouredText[] = [];
  let look: Omit<ColouredText, 'text'> = {};
  let at = 0;
  const add = (end: number) => {
    const text = withoutColours(line.slice(at, end));
    if (text) parts.push({ text, ...look });
  };
  for (const match of line.matchAll(colourCode)) {
    add(match.index);
    at = match.index + match[0].length;
    look = lookAfter(look, match[1] ?? '');
  }
  add(line.length);
  return parts.some(({ colour, bold }) => colour || bold) ? parts : undefined;
}

function lookAfter(before: Omit<ColouredText, 'text'>, codes: string): Omit<ColouredText, 'text'> {
  let { colour, bold } = before;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code === 0) {
      colour = undefined;
      bold = undefined;
    } else if (code === 1) bold = true;
    else if (code === 22) bold = undefined;
    else if (code === 39) colour = undefined;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = colours[code % 10];
    else if (code === 38 || code === 48) {
      // 5;N is one of 256, 2;R;G;B any: only the first sixteen have a name
      const kind = numbers[index + 1];
      const named = numbers[index + 2] ?? 16;
      if (code === 38) colour = kind === 5 && named < 16 ? colours[named % 8] : undefined;
      index += kind === 5 ? 2 : kind === 2 ? 4 : 0;
    }
  }
  return { ...(colour ? { colour } : {}), ...(bold ? { bold } : {}) };
}
