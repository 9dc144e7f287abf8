import { posix } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { archiveRefused } from '../model/diagnoses.ts';

/** The path of an archive's entry inside its folder. Throws for one that leads elsewhere. */
export function placeOf(name: string): string {
  const plain = posix.normalize(name.replace(/(?<!\/)\/+$/, ''));
  if (name.includes('\0') || name.includes('\\') || posix.isAbsolute(name) || plain === '..' || plain.startsWith('../'))
    throw refusedEntry(name, 'leads out of the folder');
  return plain;
}

/** Throws unless a link at `place` stays inside the folder. */
export function checkLink(place: string, target: string): void {
  const meant = posix.normalize(posix.join(posix.dirname(place), target));
  // `..` after a name is left by whatever link that name is
  const turnsBack =
    target
      .replace(/^(?:\.{1,2}\/+)+/, '')
      .split('/')
      .includes('..') && !/^(?:\.\.\/*)+$/.test(target);
  if (turnsBack) throw refusedEntry(place, `is a link that turns back, to ${target}`);
  if (target === '' || target.includes('\0') || posix.isAbsolute(target) || meant === '..' || meant.startsWith('../'))
    throw refusedEntry(place, `is a link that leads out of the folder, to ${target}`);
}

export function refusedEntry(name: string, why: string) {
  return failure(archiveRefused, {
    message: `The archive is not unpacked: its entry ${name.slice(0, 200)} ${why}`,
    remedies: ['Make the archive with relative paths inside one folder', 'Or set archive: none: {} to get it as it is'],
  });
}

export function unreadable(error: unknown) {
  return failure(
    archiveRefused,
    {
      message: `The archive can not be read: ${(error as Error).message}`,
      remedies: [
        'Look whether the step that makes it ends before it is saved',
        'Or set archive: none: {} where it is no archive',
      ],
    },
    { cause: error },
  );
}
