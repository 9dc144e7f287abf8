import { posix } from 'node:path';

/** Whether two URLs of repositories are the same but for slashes, by Helm's rule. */
export function isSameUrl(a: string, b: string): boolean {
  return normalized(a) === normalized(b);
}

function normalized(text: string): string {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text);
  if (!match) return posix.normalize(text).replace(/(.)\/$/, '$1');
  const [, origin = '', path = '', rest = ''] = match;
  const clean = posix.normalize(path === '' ? '/' : path);
  return `${origin}${clean.length > 1 ? clean.replace(/\/$/, '') : clean}${rest}`;
}
