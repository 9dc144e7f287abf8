import type { AppProject } from '@tiphys/api';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';

export const projectPath = (name: string, rest = ''): string => `/api/v1/projects/${encodeURIComponent(name)}${rest}`;

export function readProject(command: Command, surroundings: Surroundings, name: string): Promise<AppProject> {
  return sessionOf(command, surroundings).request<AppProject>('GET', projectPath(name));
}

/** Why a verb changes nothing. `fails`: with exit code 1, as `argocd` does for some verbs and not for others. */
export interface Unchanged {
  readonly message: string;
  readonly fails: boolean;
}

/** Reads a project, edits its spec and writes it, unless the edit says why there is nothing to write. */
export async function changeProject(
  command: Command,
  surroundings: Surroundings,
  { name, edit }: { readonly name: string; edit(spec: AppProject['spec']): Unchanged | undefined },
): Promise<boolean> {
  const project = await readProject(command, surroundings, name);
  const unchanged = edit(project.spec);
  if (unchanged?.fails) {
    surroundings.output.error(unchanged.message);
    throw new Exit(exitCodes.usage);
  }
  if (unchanged) {
    surroundings.output.out(unchanged.message);
    return false;
  }
  await sessionOf(command, surroundings).request('PUT', projectPath(name), { body: { project } });
  return true;
}
