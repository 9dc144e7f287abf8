import type { Command } from 'commander';
import type { Output } from '../terminal/output.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `tiphys completion SHELL`: a script for the shell, made from the commands themselves. */
export function addCompletionCommand(program: Command, output: Output): void {
  program
    .command('completion <shell>')
    .description(`Print a completion script for ${shells.join(', ')}`)
    .action((shell: string, _options, command: Command) => {
      if (shell === 'bash') return output.out(bash(program));
      if (shell === 'zsh')
        return output.out(`#compdef tiphys\nautoload -U +X bashcompinit && bashcompinit\n${bash(program)}`);
      if (shell === 'fish') return output.out(fish(program));
      return command.error(`error: unknown shell ${shell}: use ${shells.join(', ')}`);
    });
}

/** Every command path (`app sync`) with the words that may follow it. */
function paths(command: Command, prefix = ''): [path: string, words: string[]][] {
  const flags = command.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
  const own: [string, string[]] = [prefix, [...command.commands.map((sub) => sub.name()), ...flags]];
  return [own, ...command.commands.flatMap((sub) => paths(sub, `${prefix} ${sub.name()}`.trim()))];
}

function bash(program: Command): string {
  const cases = paths(program).map(([path, words]) => `    "${path}") words="${words.join(' ')}" ;;`);
  return `_tiphys() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) case "\${path:+$path }\${COMP_WORDS[i]}" in
${paths(program)
  .slice(1)
  .map(([path]) => `      "${path}") path="${path}" ;;`)
  .join('\n')}
    esac ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _tiphys tiphys`;
}

function fish(program: Command): string {
  return paths(program)
    .flatMap(([path, words]) => {
      const seen =
        path === ''
          ? '__fish_use_subcommand'
          : path
              .split(' ')
              .map((word) => `__fish_seen_subcommand_from ${word}`)
              .join('; and ');
      return words.map((word) => {
        const argument = word.startsWith('--')
          ? `-l ${word.slice(2)}`
          : word.startsWith('-')
            ? `-s ${word.slice(1)}`
            : `-a ${word}`;
        return `complete -c tiphys -f -n '${seen}' ${argument}`;
      });
    })
    .join('\n');
}
