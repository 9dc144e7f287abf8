import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { rateLimited, redirected, repositoryFailed } from '../repository/diagnoses.ts';
import { answererOf, notFound, plainHop, refused } from './access-failure.ts';
import { explainCertificate, isCertificateError } from './certificate-failure.ts';
import { connectFailure, lookupFailure, nameUnknown, unreachable, unreachableBecause } from './connection-failure.ts';
import { common, type Facts, type RemoteFailure, unknown } from './failed-remote.ts';
import type { HttpAnswer } from './http-request.ts';
import { type ProxyFinding, proxyAnswered, proxyDown, proxyOrHost, tunnelStatus } from './proxy-failure.ts';
import { proxyHop } from './route.ts';
import { askRefs, refsUrl } from './upload-pack.ts';

const noGit = 'The host answers, but not as a Git repository does';
export const saysNoGit = ({ diagnosis }: DiagnosisError): boolean => diagnosis.message.startsWith(noGit);

export async function explainHttp(context: RemoteFailure): Promise<DiagnosisError> {
  const { remote, effective, clock, timeout } = context;
  const hop = proxyHop({ secure: remote.transport === 'https', host: remote.host }, effective);
  const unresolved = await lookupFailure(hop?.host ?? remote.host);
  if (unresolved)
    return hop ? ofProxy(context, proxyDown(hop, remote.host, unresolved)) : nameUnknown(context, unresolved);
  const closed = hop && (await connectFailure(hop.host, hop.port, timeout));
  if (hop && closed) return ofProxy(context, proxyDown(hop, remote.host, closed.code ?? closed.message));
  const started = clock.now();
  const way = (): Facts => ({
    route: hop ? `through the proxy ${hop.display} (${hop.setBy})` : `straight to ${remote.host} port ${remote.port}`,
    took: `${Math.round(clock.now() - started)} ms`,
  });
  const url = refsUrl(remote);
  try {
    const answer = await askRefs({ remote, credentials: effective, clock, timeout });
    if (hop && answer.status === 407) return ofProxy(context, proxyAnswered(hop, remote.host, 407));
    return explainStatus({ ...context, way: way() }, answer);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const refusal = hop && tunnelStatus(error as Error);
    if (hop && refusal !== undefined) return ofProxy(context, proxyAnswered(hop, remote.host, refusal));
    if (isCertificateError(code)) return explainCertificate({ ...context, way: way() }, code, url);
    return unreachable({ ...context, way: way() }, code, error as Error);
  }
}

export function ofProxy(context: RemoteFailure, { kind, ...finding }: ProxyFinding): DiagnosisError {
  return failure(
    kind,
    {
      ...finding,
      place: { remote: context.remote.display },
      evidence: common(context, finding.evidence as Facts),
    },
    { handling: 'retryable' },
  );
}

function explainStatus(context: RemoteFailure, answer: HttpAnswer): DiagnosisError {
  const { status, headers } = answer;
  const limits = Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(x-)?ratelimit-|^retry-after$/.test(name)),
  );
  const facts: Facts = { 'HTTP status': status, ...limits };
  const exhausted =
    status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined);
  if (status === 429 || exhausted) return limited(context, headers, facts);
  const hop = plainHop(context);
  if (hop && status === 403 && headers['www-authenticate'] === undefined)
    return ofProxy(context, proxyOrHost(hop, context.remote.host, status));
  if (status === 401 || status === 403) return refused(context, { ...facts, 'asked for': headers['www-authenticate'] });
  if (status === 404 || status === 410) return notFound(context, facts);
  if (status >= 300 && status < 400) return movedAway(context, headers.location, facts);
  if (status >= 500)
    return unreachableBecause(context, `${answererOf(context)} answers with error ${status}`, facts, [
      'Nothing is to be done here: it is tried again by itself. Look at the status page of the host',
    ]);
  const type = headers['content-type'] ?? 'none';
  if (status === 200 && !type.includes('git-upload-pack')) return notGit(context, { ...facts, 'content type': type });
  return unknown(context, facts);
}

function notGit(context: RemoteFailure, facts: Facts): DiagnosisError {
  return failure(
    repositoryFailed,
    {
      message: `${noGit}${/html/.test(String(facts['content type'])) ? ': it sends a web page, such as a login or a page for browsers' : ''}`,
      place: { remote: context.remote.display },
      evidence: common(context, facts),
      remedies: [
        'Correct the repository URL: it must be the one that git clone takes',
        'See whether a login page, a gateway or a proxy stands before the host',
      ],
    },
    { handling: 'retryable' },
  );
}

function limited(context: RemoteFailure, headers: HttpAnswer['headers'], facts: Facts): DiagnosisError {
  const now = context.clock.now();
  const after = Number(headers['retry-after']);
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  const until =
    Number.isFinite(after) && after > 0
      ? now + after * 1000
      : Number.isFinite(reset) && reset > 0
        ? reset * 1000
        : undefined;
  const left =
    headers['x-ratelimit-remaining'] === undefined
      ? ''
      : `: ${headers['x-ratelimit-remaining']} of ${headers['x-ratelimit-limit'] ?? '?'} requests left`;
  const when = until ? `, until ${new Date(until).toISOString()}` : '';
  return failure(
    rateLimited,
    {
      message: `The host ${context.remote.host} limits our requests${left}${when}`,
      place: { remote: context.remote.display },
      evidence: common(context, { ...facts, 'resets at': until ? new Date(until).toISOString() : undefined }),
      remedies: [
        'Nothing is to be done at once: the next try is after the reset',
        'Set up a webhook and raise timeout.reconciliation, or use a GitHub App, whose limit is higher',
      ],
    },
    { handling: 'waiting', retryAfter: until ? Math.max(1000, until - now) : 60_000 },
  );
}

function movedAway(context: RemoteFailure, location: string | undefined, facts: Facts): DiagnosisError {
  const target = location ? location.replace(/\/info\/refs(\?.*)?$/, '').replace(/\?.*$/, '') : undefined;
  const page = target !== undefined && isPage(target);
  return failure(redirected, {
    message: page
      ? `The host redirects to ${target}, which is a page to sign in and no repository`
      : `The host redirects to ${target ?? 'another place'}; redirects are not followed`,
    place: { remote: context.remote.display },
    evidence: common(context, { ...facts, location: target }),
    remedies: page
      ? [
          'Give the repository a credential that the host takes from programs (a token, not the password of a person)',
          'See that the URL is that of the repository, and not of a web page before it',
        ]
      : [
          {
            text: 'Set repoURL to the place itself',
            ...(target && /^https?:/.test(target) ? { paste: `repoURL: ${target}` } : {}),
          },
        ],
  });
}

/** Whether a redirect leads to where people sign in: no path at all, or one that says so. */
function isPage(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { pathname, hostname } = new URL(target);
  return (
    pathname === '/' ||
    /(^|[/._-])(log-?in|sign-?in|sso|saml|oauth2?|auth|idp)([/._-]|$)/i.test(`${hostname}${pathname}`)
  );
}
