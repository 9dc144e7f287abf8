import { DiagnosisError, defineDiagnosis, diagnose, shownLines } from '@tiphys/diagnosis';

const invalid = defineDiagnosis('InvalidYaml', 'A file is not valid YAML, or YAML that JSON can not express.', 'M9');
const bounded = defineDiagnosis(
  'YamlLimitExceeded',
  'A YAML file is larger, deeper or expands further than is allowed.',
  'M15',
);

export interface YamlErrorPlace {
  readonly file?: string | undefined;
  /** 1-based; 0 if unknown. */
  readonly line: number;
  /** 1-based. */
  readonly column?: number;
}

/** A text that can't be read as YAML. */
export class YamlError extends DiagnosisError {
  /** The message of Go's yaml package, such as `yaml: line 3: mapping values are not allowed in this context`. */
  readonly goMessage: string;

  constructor(
    goMessage: string,
    place: YamlErrorPlace,
    options: { limit?: boolean; excerpt?: string | undefined } = {},
  ) {
    const { file, line, column } = place;
    const said = goMessage.replace(/^yaml: /, 'Invalid YAML: ');
    const template = !options.limit && isTemplate(options.excerpt, line);
    super(
      diagnose(options.limit ? bounded : invalid, {
        message: template ? `Line ${line} holds a template expression ({{ … }}), which is no YAML` : said,
        place: {
          ...(file === undefined ? {} : { file }),
          ...(line > 0 ? { line } : {}),
          ...(column === undefined ? {} : { column }),
        },
        evidence: { text: options.excerpt, ...(template ? { 'what the reader says': said } : {}) },
        remedies: template
          ? [
              'Put the file below templates/ of a chart, so that it is rendered, or leave it out with directory.exclude',
              `If the braces are meant as they are, put the text of line ${line} in quotes`,
            ]
          : [remedyOf(goMessage, line)],
      }),
    );
    this.name = 'YamlError';
    this.goMessage = goMessage;
  }
}

/** Whether the failing line of an excerpt holds the braces of a template. */
function isTemplate(excerpt: string | undefined, line: number): boolean {
  const failing = excerpt?.split('\n').find((text) => text.startsWith(`${line} | `)) ?? '';
  return failing.includes('{{') && failing.includes('}}');
}

function remedyOf(message: string, line: number): string {
  const where = line > 0 ? `line ${line}` : 'the file';
  if (message.includes('tab') || message.includes('cannot start any token')) {
    return `Look at ${where}: indent with spaces, and put text that begins with a special character in quotes`;
  }
  if (message.includes('mapping values'))
    return `Look at ${where}: a ":" inside plain text needs quotes, or the indentation is off`;
  if (message.includes("expected ':'"))
    return `Look at ${where} and the line before: a key without ":", or text that is indented too little`;
  if (/expected (?:node content|',' or)/.test(message))
    return `Look at ${where}: a [ or { that is not closed, or a comma that is missing behind it`;
  if (message.includes('unexpected end of stream') || message.includes('unexpected document indicator'))
    return `Look at ${where}: the quote that opens there is not closed`;
  if (/expected key|block end|expected '-' indicator/.test(message))
    return `Look at ${where}: its indentation fits no level above it, or the text before it does not end`;
  if (message.includes('unknown anchor'))
    return `Define the anchor before ${where} in the same document, or put the text that begins with * in quotes`;
  if (message.includes('aliasing') || message.includes('contains itself'))
    return 'Write the repeated parts out instead of using aliases';
  if (message.includes('control characters') || message.includes('UTF-8'))
    return 'Save the file as UTF-8 text without control characters';
  return `Correct ${where}`;
}

/** Three lines of the text around a 1-based line, numbered. */
export function excerptOf(text: string, line: number): string | undefined {
  if (line < 1) return undefined;
  const lines = text.split('\n', line + 1);
  const from = Math.max(0, line - 2);
  const shown = lines
    .slice(from, line + 1)
    .map((content, i) => `${from + i + 1} | ${content.slice(0, 200)}`)
    .join('\n');
  return shownLines(shown, text);
}
