import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { scmRefused } from '../../diagnoses/diagnoses.ts';
import type { RemarkHost, RemarkPlace } from './remarks.ts';

/** Where a host has a repository. */
export interface HostedAt {
  readonly hostname: string;
  /** Scheme and host, and what stands before the repository; by HTTPS where the source is read by SSH. */
  readonly address: string;
  /** The names in the address, from the first owner on. */
  readonly names: readonly string[];
}

/** What hosts put between their own address and the names of a repository. */
const between: Partial<Record<RemarkHost, string>> = { bitbucketserver: '/scm' };

/** Throws where the address and the repository's name do not fit. */
export function hostedAt({ host, repoURL, repository }: RemarkPlace): HostedAt {
  const { url, web, path } = addressOf(repoURL);
  const names = repository.split('/');
  const form = host === 'azuredevops' ? azureForm(path, names, web) : `/${repository}`;
  if (form === undefined || !path.toLowerCase().endsWith(form.toLowerCase())) throw notTheOne(repository, repoURL);
  const top = path.slice(0, path.length - form.length);
  const prefix = between[host] ?? '';
  const own = prefix !== '' && top.endsWith(prefix) ? top.slice(0, -prefix.length) : top;
  if (host === 'azuredevops' && url.hostname === 'ssh.dev.azure.com')
    return { hostname: 'dev.azure.com', address: `https://dev.azure.com${own.replace(/^\/v3/, '')}`, names };
  const address = `${web ? url.protocol : 'https:'}//${web ? url.host : url.hostname}${web ? own : ''}`;
  return { hostname: url.hostname, address, names };
}

/** Azure DevOps leaves the project out where it has the repository's name. */
function azureForm(path: string, [project = '', repository = '']: readonly string[], web: boolean): string | undefined {
  if (!web) return `/${project}/${repository}`;
  const full = `/${project}/_git/${repository}`;
  if (path.toLowerCase().endsWith(full.toLowerCase())) return full;
  return project === repository ? `/_git/${repository}` : undefined;
}

function addressOf(repoURL: string): { url: URL; web: boolean; path: string } {
  const scp = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(repoURL);
  const url = new URL(scp && !repoURL.includes('://') ? `ssh://${scp[1]}/${scp[2]}` : repoURL);
  const path = decoded(url.pathname)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '');
  return { url, web: /^https?:$/.test(url.protocol), path };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function notTheOne(repository: string, repoURL: string): DiagnosisError {
  return failure(scmRefused, {
    message: `The announced repository ${repository} is not the one at the address of the applications`,
    place: { remote: repoURL },
    remedies: ['Let applications name the repository by its address at the host, without a mirror between'],
  });
}

/**
 * The host that an address is of, as far as it says so, and the repository's names there. Undefined for a host of one's own
 * whose name and path do not tell what runs there.
 */
export function placeOf(repoURL: string, told?: RemarkHost): RemarkPlace | undefined {
  const { url, web, path } = addressOf(repoURL);
  const host = told ?? guessedHost(url.hostname, path);
  if (host === undefined) return undefined;
  const names = path.split('/').filter(Boolean);
  const at = (list: readonly string[]) => ({ host, repoURL, repository: list.join('/') });
  if (host === 'azuredevops' && web) {
    const mark = names.lastIndexOf('_git');
    const repository = names[mark + 1] ?? '';
    // the project is left out where it has the repository's name: ORGANIZATION/_git/REPOSITORY
    const short = mark < 1 || (url.hostname === 'dev.azure.com' && mark === 1);
    return at([short ? repository : (names[mark - 1] ?? ''), repository]);
  }
  if (host === 'gitlab') return at(names);
  return at(names.slice(-2));
}

function guessedHost(hostname: string, path: string): RemarkHost | undefined {
  if (hostname === 'bitbucket.org') return 'bitbucket';
  if (/(?:^|\.)dev\.azure\.com$|\.visualstudio\.com$/.test(hostname) || path.includes('/_git/')) return 'azuredevops';
  if (path.startsWith('/scm/') || hostname.startsWith('bitbucket.')) return 'bitbucketserver';
  if (/^(?:www\.)?github\.|\.ghe\.com$/.test(hostname)) return 'github';
  if (/^gitlab\./.test(hostname)) return 'gitlab';
  return /^(?:gitea|forgejo|codeberg)\./.test(hostname) ? 'gitea' : undefined;
}
