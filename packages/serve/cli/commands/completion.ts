import type { Command } from 'commander';
import type { Surroundings } from '../terminal/command-context.ts';
import type { Output } from '../terminal/output.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** The words of a command line that is being written, which the scripts ask for names with. */
export const namesCommand = 'complete';

/**
 * `completion SHELL` of the program or of a group: a script for all commands of the program, made from the commands themselves. Names of what the
 * server knows, and values of flags, the script asks for with `tiphys complete`.
 */
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

/** `complete -- WORD…`: what the last word may be, one a line; for the scripts of `completion`. */
export function addNamesCommand(program: Command, surroundings: Surroundings): void {
  program
    .command(`${namesCommand} [word...]`, { hidden: true })
    .description('Print what the last of the words may be')
    .action(async (words: string[]) => {
      const { candidatesOf } = await import('./common/candidates.ts');
      const found = await candidatesOf(program, words, surroundings);
      if (found.length > 0) surroundings.output.out(found.join('\n'));
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
  $before = @()
  foreach ($element in ($tree.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $position) { break }
    $before += "$element"
    $next = "$path $element".Trim()
    if ($all.ContainsKey($next)) { $path = $next }
  }
  $names = @(tiphys complete '--' @before $(if ($word) { $word } else { '""' }) 2>$null)
  ($all[$path].Split(' ') + $names) | Where-Object { $_ -and $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;
}

/** Every command path (`app sync`) with the words that may follow it. */
function paths(command: Command, prefix = ''): [path: string, words: string[]][] {
  const flags = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ short, long }) => [short, long])
    .filter((flag) => flag !== undefined);
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => command.commands.includes(sub));
  const own: [string, string[]] = [prefix, [...shown.map((sub) => sub.name()), ...flags]];
  return [
    own,
    ...shown.flatMap((sub) => [sub.name(), ...sub.aliases()].flatMap((name) => paths(sub, `${prefix} ${name}`.trim()))),
  ];
}

function bash(program: Command): string {
  const cases = paths(program).map(([path, words]) => `    "${path}") words="${words.join(' ')}" ;;`);
  // the line is parted at blanks alone: COMP_WORDS is parted at : and = too, which addresses and flags have
  return `_tiphys() {
  local line="\${COMP_LINE:0:COMP_POINT}" path="" words="" cur prev i globs=""
  local IFS=$' \\t\\n'
  local -a all found
  case $- in *f*) ;; *) globs=on; set -f ;; esac
  all=($line)
  if [ -n "$globs" ]; then set +f; fi
  case "$line" in *[[:space:]]) all+=("") ;; esac
  cur="\${all[\${#all[@]}-1]}"
  prev="\${all[\${#all[@]}-2]}"
  for ((i = 1; i < \${#all[@]} - 1; i++)); do
    case "\${all[i]}" in -*) ;; *) case "\${path:+$path }\${all[i]}" in
${paths(program)
  .slice(1)
  .map(([path]) => `      "${path}") path="${path}" ;;`)
  .join('\n')}
    esac ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$prev" in -*) found=() ;; *) found=($(compgen -W "$words" -- "$cur")) ;; esac
  if [ -z "$cur" ] || [ \${#found[@]} -eq 0 ]; then
    IFS=$'\\n'
    found+=($("$1" complete -- "\${all[@]:1}" 2>/dev/null))
    if [ \${#found[@]} -eq 0 ]; then IFS=$' \\t\\n' found=($(compgen -W "$words" -- "$cur")); fi
  fi
  COMPREPLY=()
  # what stands before the part of the word that the shell completes is on the line already
  for i in "\${found[@]}"; do COMPREPLY+=("\${i#"\${cur%"$2"}"}"); done
}
complete -o default -F _tiphys tiphys`;
}

function fish(program: Command): string {
  const names = "complete -c tiphys -f -a '(tiphys complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'";
  return [
    names,
    ...paths(program).flatMap(([path, words]) => {
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
    }),
  ].join('\n');
}
