import type { Command } from 'commander';
import type { Output } from '../terminal/output.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** `completion SHELL` of the program or of a group: a script for all commands of the program, made from the commands themselves. */
export function addCompletionCommand(parent: Command, output: Output): void {
  parent
    .command('completion <shell>')
    .description(`Print a completion script for ${shells.join(', ')}`)
    .action((shell: string, _options, command: Command) => {
      const program = rootOf(command);
      if (shell === 'bash') return output.out(bash(program));
      if (shell === 'zsh')
        return output.out(`#compdef tiphys\nautoload -U +X bashcompinit && bashcompinit\n${bash(program)}`);
      if (shell === 'fish') return output.out(fish(program));
      if (shell === 'powershell') return output.out(powershell(program));
      return command.error(`error: unknown shell ${shell}: use ${shells.join(', ')}`);
    });
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function powershell(program: Command): string {
  const cases = paths(program).map(([path, words]) => `    '${path}' = '${words.join(' ')}'`);
  return `Register-ArgumentCompleter -Native -CommandName tiphys -ScriptBlock {
  param($word, $tree, $position)
  $all = @{
${cases.join('\n')}
  }
  $path = ''
  foreach ($element in ($tree.CommandElements | Select-Object -Skip 1)) {
    $next = "$path $element".Trim()
    if ($all.ContainsKey($next)) { $path = $next }
  }
  $all[$path].Split(' ') | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;
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
