import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const openToOthers = defineDiagnosis('FileOpenToOthers', 'A folder or file with secrets can be read by other users');

/** Read, write or list, for the group or for everybody. */
const others = 0o077;

/**
 * Makes the folder, with what is missing above it, for its owner alone. One that is there is tightened; throws where it stays open
 * to others, as it belongs to somebody else or its file system has no owners.
 */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  tighten(path, 0o700);
}

/** Makes an empty file for its owner alone, or tightens the one that is there, before something else opens it. */
export function privateFile(path: string): void {
  closeSync(openSync(path, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY, 0o600));
  tighten(path, 0o600);
}

/** Prepares the file of an SQLite database, and what SQLite keeps beside it, before it is opened: it takes over the mode of what is there. */
export function privateDatabase(path: string): void {
  privateFile(path);
  for (const beside of [`${path}-wal`, `${path}-shm`, `${path}-journal`]) if (existsSync(beside)) privateFile(beside);
}

/** Writes the file so that its owner alone may read it, also where there was one that others could. */
export function writePrivate(path: string, text: string): void {
  const file = openSync(path, constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC, 0o600);
  try {
    fchmodSync(file, 0o600);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function tighten(path: string, mode: number): void {
  // what Windows calls a mode says nothing of its access lists
  if (process.platform === 'win32' || (statSync(path).mode & others) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
  if ((statSync(path).mode & others) === 0) return;
  throw failure(openToOthers, {
    message: `${path} can be read by other users of this machine, and secrets are kept in it`,
    place: { file: path },
    evidence: { mode: (statSync(path).mode & 0o777).toString(8).padStart(4, '0') },
    remedies: [
      { text: 'Take the rights of others away, as the owner of it', paste: `chmod -R go= '${path}'` },
      'Or choose a folder of your own on a file system that has owners',
    ],
  });
}
