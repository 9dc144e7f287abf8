import { type Output, paint } from './output.ts';

const colours: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'cyan' | 'magenta'>> = {
  Healthy: 'green',
  Synced: 'green',
  Succeeded: 'green',
  Progressing: 'cyan',
  Running: 'cyan',
  OutOfSync: 'yellow',
  Missing: 'yellow',
  Suspended: 'magenta',
  Degraded: 'red',
  Failed: 'red',
  Error: 'red',
};

/** A status word in the colour of its meaning. */
export function paintStatus(output: Output, status: string): string {
  const colour = colours[status];
  return colour ? paint(output, colour, status) : status;
}
