/** A remote base: a repository, a ref, and a folder in it. */
export interface RepoSpec {
  /** As it was written. */
  readonly raw: string;
  /** Such as `https://github.com/`. */
  readonly host: string;
  readonly repoPath: string;
  /** Folder inside the repository; empty for its root. */
  readonly path: string;
  /** Branch, tag or commit; empty for the default branch. */
  readonly ref: string;
  readonly submodules: boolean;
  /** Seconds. */
  readonly timeout: number;
}

/** What `git clone` is given. */
export function cloneUrl(spec: RepoSpec): string {
  return spec.host + spec.repoPath;
}

const schemes = ['ssh://', 'https://', 'http://', 'file://'];

/** Reads what looks like the address of a repository by Kustomize's rules; `problem` says why it is none. */
export function parseRepoSpec(text: string): RepoSpec | { readonly problem: string } {
  if (text.startsWith('/')) return { problem: `uri looks like abs path: ${text}` };
  const at = text.indexOf('?');
  const address = at < 0 ? text : text.slice(0, at);
  const query = parseQuery(at < 0 ? '' : text.slice(at + 1));
  const host = extractHost(address);
  if ('problem' in host) return host;
  const parts = splitPath(host.rest, host.host.startsWith('file://'));
  if (!parts || parts[0] === '') return { problem: 'failed to parse repo path segment' };
  const [repoPath, path] = parts;
  if (leavesRepo(path)) return { problem: `url path exits repo: ${host.rest}` };
  return { raw: text, host: host.host, repoPath, path: path.replace(/^\//, ''), ...query };
}

function parseQuery(query: string): { ref: string; submodules: boolean; timeout: number } {
  const values = new URLSearchParams(query);
  const ref = values.get('ref') || values.get('version') || '';
  const submodules = values.get('submodules') ?? '';
  const timeout = values.get('timeout') ?? '';
  return {
    ref,
    submodules: !/^(0|f|F|false|FALSE|False)$/.test(submodules),
    timeout: /^[1-9]\d*s?$/.test(timeout) ? Number.parseInt(timeout, 10) : 27,
  };
}

function extractHost(address: string): { host: string; rest: string } | { problem: string } {
  let rest = address.replace(/^git::/i, '');
  let scheme = schemes.find((prefix) => rest.toLowerCase().startsWith(prefix)) ?? '';
  rest = rest.slice(scheme.length);
  let user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(rest)?.[0] ?? '';
  rest = rest.slice(user.length);
  const github = /^github\.com[/:]/i.test(rest);
  const scp = scheme === '' && (user !== '' || github);
  if (scheme === '' && !scp) return { problem: 'failed to parse scheme' };
  if (scheme === 'file://') return { host: scheme, rest: user + rest };
  let end = rest.indexOf('/');
  if (scp) {
    const colon = rest.indexOf(':');
    if (end < 0 || (colon > 0 && colon < end)) end = colon;
  }
  let host = rest;
  if (end >= 0) {
    host = rest.slice(0, end + 1);
    rest = rest.slice(end + 1);
  } else rest = '';
  if (github) {
    if (scheme === 'ssh://' || user !== '') {
      scheme = '';
      host = 'github.com:';
    } else {
      scheme = 'https://';
      user = '';
      host = 'github.com/';
    }
  }
  if (host === '') return { problem: 'failed to parse host segment' };
  return { host: scheme + user + host, rest };
}

function splitPath(rest: string, all: boolean): [string, string] | undefined {
  const azure = rest.indexOf('_git/');
  if (azure >= 0) {
    const [repo = '', ...path] = rest.slice(azure + 5).split('/');
    return [rest.slice(0, azure + 5) + repo, path.join('/')];
  }
  const double = rest.indexOf('//');
  if (double >= 0) return [rest.slice(0, double), rest.slice(double + 2)];
  const suffix = rest.indexOf('.git');
  if (suffix >= 0) return [rest.slice(0, suffix + 4), rest.slice(suffix + 4)];
  if (all) return [rest, ''];
  const segments = rest.split('/');
  return segments.length < 2 ? undefined : [segments.slice(0, 2).join('/'), segments.slice(2).join('/')];
}

function leavesRepo(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}
