import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Folders } from '../pod/folders.ts';
import { say } from '../pod/say.ts';
import { isOnVolume, type Template } from '../pod/template.ts';

/** Leaves the files that outputs want where `wait` finds them, as the wrapper in a container does. */
export function saveLocalOutputs(template: Template, folders: Folders): void {
  for (const { valueFrom } of template.outputs?.parameters ?? []) {
    if (!valueFrom?.path || isOnVolume(template, valueFrom.path)) continue;
    const source = found(valueFrom.path, folders);
    if (source) copyFileSync(source, made(join(folders.run, 'outputs/parameters', valueFrom.path)));
  }
  for (const { path } of template.outputs?.artifacts ?? []) {
    if (!path || isOnVolume(template, path)) continue;
    const source = found(path, folders);
    if (source) pack(source, made(join(folders.run, 'outputs/artifacts', `${path.replace(/\/$/, '')}.tgz`)));
  }
}

/** A file below the container's root, else one of this machine. */
function found(path: string, { root }: Folders): string | undefined {
  const source = [join(root, path), path].find((candidate) => existsSync(candidate));
  if (!source) say(`no file to save at ${path}`);
  return source;
}

function made(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

function pack(source: string, archive: string): void {
  const { status, stderr, error } = spawnSync('tar', ['-czf', archive, '-C', dirname(source), '--', basename(source)]);
  if (error || status !== 0) throw new Error(`cannot pack ${source}: ${error?.message ?? stderr.toString().trim()}`);
}
