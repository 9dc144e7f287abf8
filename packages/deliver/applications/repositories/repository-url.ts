/**
 * The form in which URLs of repositories are compared, as upstream's `git.SameURL` has it: in lower case, without `.git` and
 * without `ssh://`, `git@host:path` as `git@host/path`. Users, trailing slashes and ports count. What is no URL stays as it is.
 */
export function normalizeRepoUrl(url: string): string {
  let text = url.trim().toLowerCase();
  if (isSsh.test(text) && !text.startsWith('ssh://')) text = `ssh://${text.replace(':', '/')}`;
  text = text.replace(/\.git$/, '');
  const encoded = encodedUrl(text);
  // Upstream takes all that it cannot read for the same where projects are asked: that would permit what no rule names.
  return encoded === undefined || encoded === '' ? url : encoded.replace(/^ssh:\/\//, '');
}

const isSsh = /^(ssh:\/\/)?[^/:]*@[^@]+$/;
/** Characters of a path that Go's net/url keeps as long as there are no others. */
const plainPath = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** As Go's net/url writes it; undefined for what it refuses. */
function encodedUrl(text: string): string | undefined {
  if (hasControl(text) || /%(?![0-9a-f]{2})/.test(text.replace(/[?#].*$/s, ''))) return undefined;
  const {
    scheme = '',
    authority,
    path = '',
    rest = '',
  } = /^(?<scheme>[a-z][a-z0-9+.-]*:)?(?:\/\/(?<authority>[^/?#]*))?(?<path>[^?#]*)(?<rest>.*)$/s.exec(text)?.groups ??
  {};
  if (authority !== undefined && !isAuthority(authority)) return undefined;
  // host:port without a scheme
  if (scheme === '' && authority === undefined && /^[^/]*:/.test(path)) return undefined;
  const opaque = scheme !== '' && authority === undefined && !path.startsWith('/');
  const host = authority === undefined ? '' : `//${authority}`;
  return scheme + host + (opaque || plainPath.test(path) ? path : encodePath(path)) + rest;
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return /^(?:\[[^\]]*\]|[^\s\\^`{|}%[\]:]*)(?::\d*)?$/.test(host);
}

function encodePath(path: string): string {
  return encodeURIComponent(decodeURIComponent(path))
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (code) => decodeURIComponent(code))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hasControl(text: string): boolean {
  for (const character of text) if (character < ' ' || character === '\u007f') return true;
  return false;
}
