import type { CommandSurroundings } from './command-surroundings.ts';
import type { FlagTable, ParsedFlags } from './flags.ts';
import { FlagError, parseFlags } from './flags.ts';

export interface CommandShape {
  /** `helm repo add` */
  readonly name: string;
  /** `[NAME] [URL] [flags]` */
  readonly usage: string;
  readonly flags: FlagTable;
  readonly least: number;
  /** No limit if not given. */
  readonly most?: number;
}

/** Reads the arguments of a command; undefined if only help was asked for, which is printed. Throws in cobra's words. */
export function readArguments(
  argv: readonly string[],
  shape: CommandShape,
  { out, error }: CommandSurroundings,
): ParsedFlags | undefined {
  const flags = parseFlags(argv, shape.flags);
  for (const line of flags.deprecations) error(line);
  const usage = `Usage:  ${shape.name} ${shape.usage}`;
  if (flags.flag('help')) {
    out(`${usage}\n`);
    return undefined;
  }
  const fault = faultOf(flags.args.length, shape);
  if (fault !== undefined) throw new FlagError(`"${shape.name}" ${fault}\n\n${usage}`);
  return flags;
}

function faultOf(count: number, { least, most }: CommandShape): string | undefined {
  const plural = (number: number): string => `${number} argument${number === 1 ? '' : 's'}`;
  if (most === 0) return count > 0 ? 'accepts no arguments' : undefined;
  if (most === least && count !== least) return `requires ${plural(least)}`;
  if (count < least) return `requires at least ${plural(least)}`;
  return most !== undefined && count > most ? `accepts at most ${plural(most)}` : undefined;
}
