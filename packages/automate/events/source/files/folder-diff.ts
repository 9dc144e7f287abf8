import { matches } from '../../filter/data-filter.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { eventData, type Metadata } from '../event-data.ts';

/** What is known of a file between two looks. */
export interface FileState {
  /** Stays the same when the file is renamed; absent where the file system tells none. */
  readonly id?: string;
  readonly modified: number;
  readonly size: number;
  readonly mode: number;
}

export type FileOperation = 'CREATE' | 'WRITE' | 'REMOVE' | 'RENAME' | 'CHMOD';

export interface FileChange {
  readonly name: string;
  readonly operation: FileOperation;
}

export interface WatchPath {
  readonly directory?: string;
  readonly path?: string;
  readonly pathRegexp?: string;
}

/** Bits of operations, as fsnotify has them. */
const bits: Readonly<Record<FileOperation, number>> = { CREATE: 1, WRITE: 2, REMOVE: 4, RENAME: 8, CHMOD: 16 };

/** What happened between two looks at a folder. A rename is one of the old name and a CREATE of the new one. */
export function folderDiff(
  before: ReadonlyMap<string, FileState>,
  after: ReadonlyMap<string, FileState>,
): FileChange[] {
  const ids = new Set([...after].filter(([name]) => !before.has(name)).map(([, { id }]) => id));
  const gone = [...before].filter(([name]) => !after.has(name));
  const changes: FileChange[] = gone.map(([name, { id }]) => ({
    name,
    operation: id !== undefined && ids.has(id) ? 'RENAME' : 'REMOVE',
  }));
  for (const [name, now] of after) {
    const old = before.get(name);
    if (!old) changes.push({ name, operation: 'CREATE' });
    else if (old.modified !== now.modified || old.size !== now.size) changes.push({ name, operation: 'WRITE' });
    else if (old.mode !== now.mode) changes.push({ name, operation: 'CHMOD' });
  }
  return changes;
}

/** What is wrong with the paths of a spec, by upstream's rules. */
export function watchPathProblem({ directory, path, pathRegexp }: WatchPath): SpecProblem | undefined {
  if (!directory) return missing('directory', 'directory is required', '/in');
  if (!path && !pathRegexp) return missing('path', 'either path or pathRegexp must be specified');
  if (path && pathRegexp)
    return wrong('pathRegexp', 'path and pathRegexp cannot be specified together', 'Remove one of them');
  const tried = pathRegexp ? matches(pathRegexp, '') : true;
  return typeof tried === 'string' ? wrong('pathRegexp', tried, 'Correct the regular expression (RE2)') : undefined;
}

/** What is wrong with the type of operation, which `field` holds. */
export function operationProblem(field: string, type: string | undefined): SpecProblem | undefined {
  if (!type) return missing(field, 'type must be specified', 'CREATE');
  if (type.split('|').every((part) => Object.hasOwn(bits, part))) return undefined;
  const known = Object.keys(bits).join(', ');
  return wrong(field, `type ${type} is none of ${known}`, `Write one of ${known}`);
}

/** True if a change is what a spec asks for. */
export function isWanted({ name, operation }: FileChange, { path, pathRegexp }: WatchPath, type: string): boolean {
  if (!type.split('|').includes(operation)) return false;
  const wanted = path?.replace(/^\//, '');
  return path ? name === wanted : matches(pathRegexp ?? '', name) === true;
}

/** The data of a file's event. */
export function fileData({ name, operation }: FileChange, directory: string, metadata: Metadata): string {
  const full = `${directory.replace(/\/$/, '')}/${name}`;
  return eventData({ name: full, op: bits[operation], metadata: metadata ?? null }, undefined);
}
