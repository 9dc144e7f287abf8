import type { Clock } from '@tiphys/kubernetes';
import { parseAdvertisedRefs } from '../refs/advertised-refs.ts';
import type { RefTable } from '../refs/ref-table.ts';
import type { Credentials } from '../repository/credentials.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';
import { basicCredentials } from './git-environment.ts';
import { type HttpAnswer, httpRequest } from './http-request.ts';

interface Asked {
  readonly remote: RepositoryUrl;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Bytes of the answer that are read; what is longer is cut off. */
  readonly maxBody?: number;
}

/** Where git asks a host for its refs. */
export const refsUrl = (remote: RepositoryUrl): string =>
  `${remote.remote.replace(/\/$/, '')}/info/refs?service=git-upload-pack`;

/** Asks a host for its refs as git does, with the credential at once. Rejects with Node's error if there is no answer. */
export function askRefs({ remote, credentials, ...how }: Asked): Promise<HttpAnswer> {
  return httpRequest({
    url: refsUrl(remote),
    method: 'GET',
    headers: { ...authorization(remote, credentials), 'user-agent': 'git/2 (tiphys)' },
    credentials,
    ...how,
  });
}

/** More refs than fit in here are read by git, within its own bounds. */
const mostBytes = 8 << 20;

/** The refs of an HTTP host without a process of git; undefined where the answer is not plainly that, so that git is asked. */
export async function readRefs(asked: Omit<Asked, 'maxBody'>): Promise<RefTable | undefined> {
  const answer = await askRefs({ ...asked, maxBody: mostBytes }).catch(() => undefined);
  const isRefs =
    answer?.status === 200 && answer.headers['content-type'] === 'application/x-git-upload-pack-advertisement';
  return isRefs ? parseAdvertisedRefs(answer.bytes) : undefined;
}

function authorization(remote: RepositoryUrl, credentials: Credentials): Record<string, string> {
  if (credentials.bearerToken) return { authorization: `Bearer ${credentials.bearerToken}` };
  const basic = basicCredentials(remote, credentials);
  return basic
    ? { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` }
    : {};
}
