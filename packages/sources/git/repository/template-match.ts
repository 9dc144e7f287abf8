import { normalizeRepositoryUrl } from './repository-url.ts';

/**
 * How well a credential template fits a repository: the length of the template's URL if the repository's begins with it, else 0. As
 * Argo CD matches them, but for one thing: the host must be the same and not only begin alike, so that a template for
 * `https://git.example.com` is not lent to `https://git.example.com.evil.test` or `https://git.example.com:x@evil.test`.
 */
export function templateFit(template: string, repository: string): number {
  const [prefix, wanted] = [normalizeRepositoryUrl(template), normalizeRepositoryUrl(repository)];
  if (prefix === '' || !wanted.startsWith(prefix)) return 0;
  const host = hostOf(prefix);
  return host === '' || host === hostOf(wanted) ? prefix.length : 0;
}

/** Without scheme, user and port. */
function hostOf(normalized: string): string {
  const authority = normalized.replace(/^[a-z0-9+.-]+:\/\//, '').split(/[/?#]/)[0] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
}
