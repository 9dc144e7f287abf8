export interface LogDetails {
  /** What Helm writes by its older logger is information, whatever it says. `WARN` without. */
  readonly level?: 'INFO' | 'WARN' | 'ERROR';
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Receives what Helm logs while it loads and renders a chart. */
export type Warn = (message: string, details?: LogDetails) => void;

/** A line of Helm's log on standard error, as Go's `log/slog` writes text. */
export function logLine(message: string, { level = 'WARN', attributes = {} }: LogDetails = {}): string {
  return `level=${level} msg=${slogText(message)}${attributeText(attributes)}\n`;
}

/** The message and its attributes on one line. */
export function logText(message: string, { attributes = {} }: LogDetails = {}): string {
  return `${message}${attributeText(attributes)}`;
}

function attributeText(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}=${slogText(value)}`)
    .join('');
}

/** `log/slog` quotes what is empty, or holds space, quotes, `=` or what can't be printed. */
function slogText(text: string): string {
  return /^[^\s"=\p{C}\ufffd]+$/u.test(text) ? text : JSON.stringify(text);
}
