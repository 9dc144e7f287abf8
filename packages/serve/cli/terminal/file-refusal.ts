import { relative } from 'node:path';

/** What the operating system says of a file that somebody named, in words. */
const meanings: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'this user may not do that with it'],
  ['EPERM', 'this user may not do that with it'],
  ['EISDIR', 'it is a folder, where a file is wanted'],
  ['ENOTDIR', 'it is a file, or a part of its path is one, where a folder is wanted'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'its disk is full'],
]);

const calls: ReadonlySet<string> = new Set([
  'access',
  'copyfile',
  'lstat',
  'mkdir',
  'open',
  'opendir',
  'read',
  'rename',
  'rmdir',
  'scandir',
  'stat',
  'unlink',
  'write',
]);

/** One line about a file or folder that could not be used, with its path as seen from `workdir`; undefined for any other error. */
export function fileRefusal(error: unknown, workdir: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException;
  const meaning = meanings.get(code);
  if (meaning === undefined || !calls.has(syscall)) return undefined;
  // a folder is opened before it is read, which knows no path any more
  if (path === undefined) return code === 'EISDIR' ? 'A folder was named where a file is wanted' : undefined;
  const near = relative(workdir, path);
  return `${near === '' || near.startsWith('..') ? path : near}: ${meaning}`;
}
