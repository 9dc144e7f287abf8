import type { Surroundings } from './terminal/command-context.ts';

/** Runs `tiphys` with its arguments and resolves to the exit code; whatever goes wrong has been printed by then. */
export async function runProgram(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  if (argv[0] === 'helm') {
    // Helm's flags are helm's own, commander must not touch them; and only this command pays for loading the renderer.
    const { helmCommand } = await import('@tiphys/helm');
    return helmCommand(argv.slice(1), {
      out: writeRaw(process.stdout),
      error: writeRaw(process.stderr),
      workdir: surroundings.workdir,
      env: surroundings.env,
      signal: surroundings.signal,
    });
  }
  if (argv[0] === 'kustomize') {
    const { kustomizeCommand } = await import('@tiphys/kustomize');
    const { kustomizeRemotes } = await import('./kustomize-remotes.ts');
    const { remotes, close } = kustomizeRemotes(surroundings.env);
    try {
      return await kustomizeCommand(argv.slice(1), {
        out: writeRaw(process.stdout),
        error: writeRaw(process.stderr),
        workdir: surroundings.workdir,
        env: surroundings.env,
        remotes,
      });
    } finally {
      await close();
    }
  }
  if (argv[0] === 'core') {
    // what follows the program's name is the program's own
    const { coreCommand } = await import('./commands/core.ts');
    return coreCommand(argv.slice(1), surroundings, runProgram);
  }
  // Only what is asked for is loaded: a render in a pipeline must not wait for the server's code.
  const { runOwnCommands } = await import('./own-commands.ts');
  return runOwnCommands(argv, surroundings);
}

function writeRaw(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => void stream.write(text);
}
