import { goDuration } from '@tiphys/go';
import { type Command, InvalidArgumentError } from 'commander';

const yes: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const no: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** Lets flags without a value be given one, as programs of Go take them: `--full=true`, `-w=false`. The last one holds. */
export function withGoFlags(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (argv) => {
    const end = argv.indexOf('--');
    const flags = end < 0 ? argv : argv.slice(0, end);
    return parse([...flags.flatMap((word) => withoutValue(command, word)), ...argv.slice(flags.length)]);
  };
  return command;
}

/** A flag that is said to be off is left out and set to what is its opposite. */
function withoutValue(command: Command, word: string): string[] {
  const at = word.indexOf('=');
  if (!word.startsWith('-') || at < 0) return [word];
  const [flag, value] = [word.slice(0, at), word.slice(at + 1)];
  const option = command.options.find(({ short, long }) => short === flag || long === flag);
  if (!option || option.required || option.optional) return [word];
  if (yes.includes(value)) return [flag];
  if (!no.includes(value))
    command.error(`error: option '${option.flags}' argument '${value}' is invalid. It is neither true nor false.`);
  command.setOptionValueWithSource(option.attributeName(), option.negate, 'cli');
  return [];
}

export interface Delay {
  readonly text: string;
  readonly milliseconds: number;
}

/** A duration of Go, such as `1h30m` or `1.5h`; `0` needs no unit. */
export function delay(text: string): Delay {
  const milliseconds = goDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('It is no duration, such as 30s, 5m or 1h30m.');
  return { text, milliseconds };
}
