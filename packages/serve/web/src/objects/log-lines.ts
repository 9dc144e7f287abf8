import { type ColouredText, colouredParts, withoutColours } from './terminal-colours.ts';

export interface LogLine {
  readonly number: number;
  readonly pod: string;
  readonly time: string;
  readonly text: string;
  /** The text as its program coloured it; absent for plain ones. */
  readonly parts?: readonly ColouredText[];
  readonly level: Level | undefined;
}

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

const names: Readonly<Record<string, Level>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  err: 'error',
  fatal: 'error',
  panic: 'error',
  critical: 'error',
};

/** Only the beginning of a line tells its level. */
const looked = 400;

/** The level that a line says it has: a field of JSON or logfmt, else a word in capitals. */
export function levelOf(text: string): Level | undefined {
  const start = text.slice(0, looked);
  const field = /"?(?:level|severity|lvl)"?\s?[=:]\s?"?([A-Za-z]{3,8})/.exec(start)?.[1];
  const word = field ?? /\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|PANIC|CRITICAL)\b/.exec(start)?.[1];
  return word === undefined ? undefined : names[word.toLowerCase()];
}

/** A line as it came from a container. */
export function logLine(content: string, facts: Pick<LogLine, 'number' | 'pod' | 'time'>): LogLine {
  const parts = colouredParts(content);
  const text = withoutColours(content);
  return { ...facts, text, level: levelOf(text), ...(parts ? { parts } : {}) };
}
