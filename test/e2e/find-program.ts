import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program: what the variable names, else the first on PATH; undefined if there is none. */
export function findProgram(name: string, variable: string): string | undefined {
  const named = process.env[variable];
  if (named) return named;
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
