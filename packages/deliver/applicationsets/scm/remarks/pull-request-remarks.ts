import { failure } from '@tiphys/diagnosis';
import { scmRefused } from '../../diagnoses/diagnoses.ts';
import { azureHeaders } from '../azure-devops.ts';
import { bitbucketCloudBase } from '../bitbucket-cloud.ts';
import { giteaBase } from '../gitea.ts';
import { githubBase, githubHeaders } from '../github.ts';
import { gitlabBase } from '../gitlab.ts';
import { type ApiAccess, HostApi } from '../host-api.ts';
import { azureRemarks } from './azure-remarks.ts';
import { bitbucketCloudRemarks } from './bitbucket-cloud-remarks.ts';
import { bitbucketServerRemarks } from './bitbucket-server-remarks.ts';
import { githubRemarks } from './github-remarks.ts';
import { gitlabRemarks } from './gitlab-remarks.ts';
import { type HostedAt, hostedAt } from './place.ts';
import type { Credentials, PullRequestRemarks, RemarkHost, RemarkPlace } from './remarks.ts';

/** Pull requests of a repository, by the credentials that it is read or written with. Throws where they are none for the API. */
export function pullRequestRemarks(
  place: RemarkPlace,
  parts: Pick<ApiAccess, 'http' | 'signal'> & {
    readonly credentials: Credentials;
    /** What can be done where the host refuses. */
    readonly remedies: readonly string[];
  },
): PullRequestRemarks {
  const { host, repository } = place;
  const at = hostedAt(place);
  const api = new HostApi({
    ...parts,
    base: apiBase(host, at),
    headers: headersOf(place, parts.credentials),
    refusals: 'stalled',
  });
  if (host === 'gitlab') return gitlabRemarks(api, repository);
  if (host === 'bitbucket') return bitbucketCloudRemarks(api, at);
  if (host === 'bitbucketserver') return bitbucketServerRemarks(api, at);
  return host === 'azuredevops' ? azureRemarks(api, at) : githubRemarks(api, at.names);
}

/** The API of the host that the repository is read from. */
function apiBase(host: RemarkHost, { hostname, address }: HostedAt): string {
  switch (host) {
    case 'github':
      return hostname === 'github.com' ? githubBase(undefined) : githubBase(address);
    case 'gitlab':
      return gitlabBase(address);
    case 'gitea':
      return giteaBase(address);
    case 'bitbucket':
      return hostname === 'bitbucket.org' ? bitbucketCloudBase : `${address}/2.0`;
    case 'bitbucketserver':
      return `${address}/rest`;
    default:
      return address;
  }
}

function headersOf({ host, repoURL }: RemarkPlace, credentials: Credentials): Record<string, string> {
  const { username = '', password = '', bearerToken } = credentials;
  const token = bearerToken || password;
  if (!token)
    throw failure(scmRefused, {
      message: 'The repository has no token that its pull requests could be written to with',
      place: { remote: repoURL, field: 'password' },
      remedies: ['Register the repository by HTTPS with a token as the password, or with a GitHub App'],
    });
  switch (host) {
    case 'gitlab':
      return { 'private-token': token };
    case 'gitea':
      return { authorization: `token ${token}` };
    case 'github':
      return { ...githubHeaders, authorization: `Bearer ${token}` };
    case 'azuredevops':
      return bearerToken ? { authorization: `Bearer ${bearerToken}` } : azureHeaders(password);
    default: {
      // access tokens are given to git with this name, and to the API without one
      const isToken = Boolean(bearerToken) || ['', 'x-token-auth'].includes(username);
      const pair = Buffer.from(`${username}:${password}`).toString('base64');
      return { authorization: isToken ? `Bearer ${token}` : `Basic ${pair}` };
    }
  }
}
