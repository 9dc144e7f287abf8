import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import { HelmError, helmMessageOf } from '../problems/helm-error.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { FlagError } from './flags.ts';

type Run = (argv: readonly string[], surroundings: CommandSurroundings) => Promise<number>;

/** Each command is loaded when it is run: rendering a chart of this machine needs no client of repositories. */
const onDependencies =
  (name: 'dependencyBuild' | 'dependencyList' | 'dependencyUpdate'): Run =>
  async (argv, surroundings) =>
    (await import('./dependency-commands.ts'))[name](argv, surroundings);
const onRepositories =
  (name: 'repoAdd' | 'repoIndex' | 'repoList' | 'repoRemove' | 'repoUpdate'): Run =>
  async (argv, surroundings) =>
    (await import('./repo-commands.ts'))[name](argv, surroundings);
const onRegistries =
  (name: 'registryLogin' | 'registryLogout'): Run =>
  async (argv, surroundings) =>
    (await import('./registry-commands.ts'))[name](argv, surroundings);

const template: Run = async (argv, surroundings) =>
  (await import('./template-command.ts')).template(argv, surroundings);
const pull: Run = async (argv, surroundings) => (await import('./pull-command.ts')).pull(argv, surroundings);

const dependency: Readonly<Record<string, Run>> = {
  build: onDependencies('dependencyBuild'),
  update: onDependencies('dependencyUpdate'),
  up: onDependencies('dependencyUpdate'),
  list: onDependencies('dependencyList'),
  ls: onDependencies('dependencyList'),
};
const repo: Readonly<Record<string, Run>> = {
  add: onRepositories('repoAdd'),
  list: onRepositories('repoList'),
  ls: onRepositories('repoList'),
  update: onRepositories('repoUpdate'),
  up: onRepositories('repoUpdate'),
  remove: onRepositories('repoRemove'),
  rm: onRepositories('repoRemove'),
  index: onRepositories('repoIndex'),
};
const registry: Readonly<Record<string, Run>> = {
  login: onRegistries('registryLogin'),
  logout: onRegistries('registryLogout'),
};

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
