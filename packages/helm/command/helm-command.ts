import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import { HelmError, helmMessageOf } from '../helm-error.ts';
import { dependencyBuild, dependencyList, dependencyUpdate } from './dependency-commands.ts';
import { FlagError } from './flags.ts';
import { pull } from './pull-command.ts';
import { registryLogin, registryLogout } from './registry-commands.ts';
import { repoAdd, repoIndex, repoList, repoRemove, repoUpdate } from './repo-commands.ts';
import { template } from './template-command.ts';

export interface CommandSurroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Folder against which paths count. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

type Run = (argv: readonly string[], surroundings: CommandSurroundings) => Promise<number>;

const dependency: Readonly<Record<string, Run>> = {
  build: dependencyBuild,
  update: dependencyUpdate,
  up: dependencyUpdate,
  list: dependencyList,
  ls: dependencyList,
};
const repo: Readonly<Record<string, Run>> = {
  add: repoAdd,
  list: repoList,
  ls: repoList,
  update: repoUpdate,
  up: repoUpdate,
  remove: repoRemove,
  rm: repoRemove,
  index: repoIndex,
};
const registry: Readonly<Record<string, Run>> = { login: registryLogin, logout: registryLogout };

const commands: Readonly<Record<string, Run | Readonly<Record<string, Run>>>> = {
  template,
  pull,
  fetch: pull,
  dependency,
  dep: dependency,
  dependencies: dependency,
  repo,
  registry,
};

/** Runs `helm template …` and helm's other commands about charts as helm does: its output and errors, its exit code. */
export async function helmCommand(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const [name = '', ...rest] = argv;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    surroundings.error(
      `Error: unknown command ${JSON.stringify(name)} for "helm"\nBuilt in are template, pull, dependency, repo and registry; for the rest use helm itself.\n`,
    );
    return 1;
  }
  try {
    return await (typeof command === 'function'
      ? command(rest, surroundings)
      : runSub(name, command, rest, surroundings));
  } catch (error) {
    return report(error, surroundings);
  }
}

function runSub(
  group: string,
  commands: Readonly<Record<string, Run>>,
  [name, ...rest]: readonly string[],
  surroundings: CommandSurroundings,
): Promise<number> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(rest, surroundings);
  const known = Object.keys(commands)
    .filter((key) => key.length > 2)
    .join(', ');
  throw new FlagError(`unknown command ${JSON.stringify(name ?? '')} for "helm ${group}"`, `Use one of: ${known}`);
}

function report(error: unknown, { error: print }: CommandSurroundings): number {
  const suffix =
    error instanceof HelmError &&
    ['HelmRenderFailed', 'HelmManifestInvalid', 'ChartKubeVersionMismatch'].includes(error.diagnosis.code);
  print(`Error: ${helmMessageOf(error)}${suffix ? '\n\nUse --debug flag to render out invalid YAML' : ''}\n`);
  if (error instanceof FlagError && error.remedy) print(`${error.remedy}\n`);
  if (error instanceof DiagnosisError) print(`\n${explainDiagnosis(error.diagnosis)}\n`);
  return 1;
}
