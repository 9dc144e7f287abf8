import type { Log } from './log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** A log of JSON lines, as upstream's. */
export function jsonLog(options: {
  readonly write: (line: string) => void;
  readonly level: string;
  readonly now: () => number;
}): Log {
  const least = Math.max(0, levels.indexOf(options.level as 'info'));
  return (level, message, fields = {}) => {
    if (levels.indexOf(level) < least) return;
    options.write(
      JSON.stringify({
        level,
        ts: new Date(options.now()).toISOString(),
        logger: 'argo-events',
        msg: message,
        ...fields,
      }),
    );
  };
}
