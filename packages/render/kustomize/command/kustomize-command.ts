import { kustomizeVersion } from '../build/build.ts';
import { buildCommand, type KustomizeSurroundings } from './build-command.ts';
import { createCommand } from './create-command.ts';
import { editCommand } from './edit-command.ts';
import { localizeCommand } from './localize-command.ts';

const usage = `Kustomizations, in process.

Usage:
  tiphys kustomize build DIR [flags]
  tiphys kustomize create [flags]
  tiphys kustomize localize [target [destination]] [flags]
  tiphys kustomize edit set|add|remove|fix … [flags]
  tiphys kustomize version
`;

/** Runs `kustomize …` as kustomize does: output and errors in its words; resolves to its exit code. */
export async function kustomizeCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  const [command = 'help', ...rest] = argv;
  switch (command) {
    case 'build':
      return buildCommand(rest, surroundings);
    case 'create':
    case 'init':
      return createCommand(rest, surroundings);
    case 'localize':
      return localizeCommand(rest, surroundings);
    case 'edit':
      return editCommand(rest, surroundings);
    case 'version':
      surroundings.out(`${kustomizeVersion}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      surroundings.out(usage);
      return 0;
    default:
      surroundings.error(
        `Error: unknown command ${JSON.stringify(command)} for "kustomize"\n\nBuilt in are build, create, edit, localize and version; for the rest use kustomize itself.\n`,
      );
      return 1;
  }
}
