import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** How a program tells its version, and which versions the tests are written for. */
export interface WantedVersion {
  readonly args: readonly string[];
  /** Must match what the program prints. */
  readonly pattern: RegExp;
}

/** Tests of the argocd CLI compare what 3.5 and later 3.x print. */
export const argocdVersion: WantedVersion = {
  args: ['version', '--client', '--short'],
  pattern: /\bv3\.([5-9]|\d\d)\./,
};

const asked = new Map<string, boolean>();

/**
 * The path of a program: what the variable names, else the first of the folders, or on PATH, that has one of the wanted version;
 * undefined if there is none.
 */
export function findProgram(
  name: string,
  variable: string,
  { version, folders = [] }: { version?: WantedVersion; folders?: readonly (string | undefined)[] } = {},
): string | undefined {
  const named = process.env[variable];
  if (named) return named;
  return [...folders, ...(process.env.PATH ?? '').split(delimiter)]
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => join(folder as string, name))
    .find((file) => existsSync(file) && (!version || isOf(version, file)));
}

/** Asks each program once. */
function isOf({ args, pattern }: WantedVersion, file: string): boolean {
  const known = asked.get(file);
  if (known !== undefined) return known;
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: 60_000 });
  const fits = pattern.test(`${stdout ?? ''}${stderr ?? ''}`);
  asked.set(file, fits);
  return fits;
}
