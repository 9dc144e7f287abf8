import { FunctionError } from '@tiphys/template';

interface GitUrl {
  readonly host: string;
  readonly path: string;
}

/** Host and path of a repository's URL, also of `git@host:owner/name.git`. */
export function parseGitUrl(url: string): GitUrl {
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.*)$/.exec(url);
  if (scp) return { host: scp[1] as string, path: `/${(scp[2] as string).replace(/^\//, '')}` };
  try {
    const { host, pathname } = new URL(url);
    return { host, path: pathname };
  } catch {
    if (url.startsWith('/')) return { host: '', path: url };
    throw new FunctionError(`failed to parse the repository URL ${url}`);
  }
}

/** `owner/name`. */
export function fullName(url: string): string {
  const path = parseGitUrl(url).path.replace(/\.git$/, '');
  const parts = path.split('/').filter(Boolean);
  return parts.length >= 2 ? parts.slice(0, 2).join('/') : path;
}

export function toHttps(url: string): string {
  const { host, path } = parseGitUrl(url);
  return `https://${host}${path}`;
}

/** Go's `url.QueryEscape`. */
export function queryEscape(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
