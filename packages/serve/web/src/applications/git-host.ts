/** The pages that the host of a repository has of it. */
export interface HostPages {
  readonly repository: string;
  /** Of a commit, or of what a branch or tag has. */
  revision(revision: string): string;
  /** Of a folder or file at a revision; `line` begins with 1. */
  file(revision: string, path: string, line?: number): string;
}

/** Where the parts of a host's addresses are, below the page of a repository. */
interface HostForm {
  commit: (sha: string) => string;
  tree: (revision: string, path: string) => string;
  line: (line: number) => string;
}

const isCommit = (revision: string) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(revision);
const hash = (line: number) => `#L${line}`;
const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

const github: HostForm = {
  commit: (sha) => `/commit/${sha}`,
  tree: (revision, path) => `/tree/${revision}${path}`,
  line: hash,
};
const gitlab: HostForm = {
  commit: (sha) => `/-/commit/${sha}`,
  tree: (revision, path) => `/-/tree/${revision}${path}`,
  line: hash,
};
const gitea: HostForm = {
  commit: (sha) => `/commit/${sha}`,
  tree: (revision, path) => `/src/${isCommit(revision) ? `commit/${revision}` : revision}${path}`,
  line: hash,
};
const bitbucketCloud: HostForm = {
  commit: (sha) => `/commits/${sha}`,
  tree: (revision, path) => `/src/${revision}${path}`,
  line: (line) => `#lines-${line}`,
};
const bitbucketServer: HostForm = {
  commit: (sha) => `/commits/${sha}`,
  tree: (revision, path) => `/browse${path}?at=${revision}`,
  line: (line) => `#${line}`,
};
const azure: HostForm = {
  commit: (sha) => `/commit/${sha}`,
  tree: (revision, path) => `?path=${path || '/'}&version=${isCommit(revision) ? 'GC' : 'GB'}${revision}`,
  line: (line) => `&line=${line}`,
};

/**
 * The pages of a repository on its host, by the forms of GitHub, GitLab, Bitbucket, Azure DevOps, Gitea and Forgejo, as those
 * are told apart by the host's name; undefined for a host that is none of them, and for what is no repository of Git.
 */
export function hostPages(repository: string): HostPages | undefined {
  const place = placeOf(repository);
  const known = place && formOf(place);
  if (!known) return undefined;
  const { base, form } = known;
  const page = (revision: string, path: string) => {
    const plain = path.replace(/^(?:\.?\/)+/, '').replace(/^\.$/, '');
    return base + form.tree(encoded(revision || 'HEAD'), plain ? `/${encoded(plain)}` : '');
  };
  return {
    repository: base,
    revision: (revision) => (isCommit(revision) ? base + form.commit(revision) : page(revision, '')),
    file: (revision, path, line) => page(revision, path) + (line === undefined ? '' : form.line(line)),
  };
}

interface Place {
  /** With its scheme, and its port where pages are at the one of the repository. */
  readonly origin: string;
  readonly host: string;
  /** Below the host, without `.git`. */
  readonly path: string;
}

function placeOf(repository: string): Place | undefined {
  // user@host:path, as ssh has it
  const [, short = '', rest = ''] = /^(?:[^@/:]+@)?([^/:@]+):(?!\/\/)([^:]+)$/.exec(repository) ?? [];
  const address = short ? `ssh://${short}/${rest}` : repository;
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, host, pathname } = new URL(address);
  if (!['http:', 'https:', 'ssh:'].includes(protocol)) return undefined;
  const path = pathname
    .replace(/^\/+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '');
  if (!hostname || !path.includes('/')) return undefined;
  // the port of ssh is none of the pages'
  return { origin: protocol === 'ssh:' ? `https://${hostname}` : `${protocol}//${host}`, host: hostname, path };
}

function formOf({ origin, host, path }: Place): { base: string; form: HostForm } | undefined {
  const base = `${origin}/${path}`;
  if (host === 'ssh.dev.azure.com') {
    const [version, organisation, project, name] = path.split('/');
    return version === 'v3' && name
      ? { base: `https://dev.azure.com/${organisation}/${project}/_git/${name}`, form: azure }
      : undefined;
  }
  if (path.includes('/_git/') || path.startsWith('_git/')) return { base, form: azure };
  if (host === 'bitbucket.org') return { base, form: bitbucketCloud };
  const first = host.split('.')[0] ?? '';
  if (first === 'bitbucket' || path.startsWith('scm/')) {
    const [project = '', ...names] = path.replace(/^scm\//, '').split('/');
    const owner = project.startsWith('~') ? `users/${project.slice(1)}` : `projects/${project}`;
    return { base: `${origin}/${owner}/repos/${names.join('/')}`, form: bitbucketServer };
  }
  if (host === 'codeberg.org' || ['gitea', 'forgejo'].includes(first)) return { base, form: gitea };
  if (first.startsWith('gitlab')) return { base, form: gitlab };
  if (first.startsWith('github')) return { base, form: github };
  return undefined;
}
