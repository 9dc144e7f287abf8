import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { guardedHost } from '@tiphys/outbound';
import { type Credentials, describeCredential } from '../repository/credentials.ts';
import {
  certificateInvalid,
  clockSkew,
  credentialRefused,
  gitTimeout,
  hostKeyChanged,
  hostKeyUnknown,
  proxyRefused,
  proxyUnreachable,
  rateLimited,
  redirected,
  repositoryFailed,
  repositoryNotFound,
  repositoryUnreachable,
} from '../repository/diagnoses.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';
import { basicCredentials } from './git-environment.ts';
import { type HttpAnswer, httpRequest } from './http-request.ts';
import { knownFingerprints } from './known-hosts.ts';
import { type ProxyFinding, proxyAnswered, proxyDown, proxyOrHost, tunnelStatus } from './proxy-failure.ts';
import { type ProxyHop, proxyHop } from './route.ts';
import { type ServedCertificate, servedCertificate } from './served-certificate.ts';

export interface RemoteFailure {
  readonly operation: string;
  readonly stderr: string;
  readonly remote: RepositoryUrl;
  /** As configured, for the description. */
  readonly credentials: Credentials;
  /** As sent: for a GitHub App with its token as password. */
  readonly effective: Credentials;
  readonly clock: Clock;
  readonly timeout: number;
  /** When the repository was read last, in milliseconds since the epoch. */
  readonly lastSuccess: number | undefined;
  /** The way that was gone, and how long it took. */
  readonly way?: Facts;
}

type Facts = Record<string, string | number | undefined>;

/**
 * Why git could not reach a remote: the host is asked again, step by step (name, connection, TLS, HTTP status), with the
 * same credential, and the first step that fails is the cause. git's own words serve for what cannot be asked that way.
 */
export async function explainRemoteFailure(context: RemoteFailure): Promise<DiagnosisError> {
  const { transport } = context.remote;
  if (transport === 'http' || transport === 'https') return explainHttp(context);
  if (transport === 'ssh' || transport === 'git') return explainSsh(context);
  return /does not appear to be a git repository|not a git repository|does not exist/i.test(context.stderr)
    ? notFound(context, {})
    : unknown(context, {});
}

/**
 * Why a remote over HTTP shows no branch: undefined if it speaks git, and so has none. A web page in its place, such as a login,
 * looks to git like an empty repository.
 */
export async function explainEmpty(context: RemoteFailure): Promise<DiagnosisError | undefined> {
  const { transport } = context.remote;
  if (transport !== 'http' && transport !== 'https') return undefined;
  const found = await explainHttp(context);
  return found.diagnosis.code === repositoryFailed.code && !saysNoGit(found) ? undefined : found;
}

/** That git did not come to an end, with the way that it went. */
export function explainTimeout({ diagnosis }: DiagnosisError, context: RemoteFailure): DiagnosisError {
  const { remote, effective } = context;
  const { host, port, transport } = remote;
  const hop = proxyHop({ secure: transport === 'https', host }, effective);
  return failure(
    gitTimeout,
    {
      message: `${diagnosis.message}: the host ${host} port ${port}${hop ? `, or the proxy ${hop.display} on the way,` : ''} takes the connection and does not answer, or answers too slowly`,
      place: { remote: remote.display },
      evidence: common(context, {
        route: hop ? `through the proxy ${hop.display} (${hop.setBy})` : `straight to ${host} port ${port}`,
        ...Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value])),
      }),
      remedies: [
        'Look at the load of the host and at what stands before it (gateway, firewall); it is tried again by itself',
      ],
    },
    { handling: 'retryable' },
  );
}

const noGit = 'The host answers, but not as a Git repository does';
const saysNoGit = ({ diagnosis }: DiagnosisError): boolean => diagnosis.message.startsWith(noGit);

async function explainHttp(context: RemoteFailure): Promise<DiagnosisError> {
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
  const url = `${remote.remote.replace(/\/$/, '')}/info/refs?service=git-upload-pack`;
  try {
    const answer = await httpRequest({
      url,
      method: 'GET',
      headers: { ...authorization(remote, effective), 'user-agent': 'git/2 (tiphys)' },
      credentials: effective,
      clock,
      timeout,
    });
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

function ofProxy(context: RemoteFailure, { kind, ...finding }: ProxyFinding): DiagnosisError {
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

function authorization(remote: RepositoryUrl, credentials: Credentials): Record<string, string> {
  if (credentials.bearerToken) return { authorization: `Bearer ${credentials.bearerToken}` };
  const basic = basicCredentials(remote, credentials);
  return basic
    ? { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` }
    : {};
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

/** A proxy that passes plain requests on may answer in place of the host: then neither is accused alone. */
function answererOf(context: RemoteFailure): string {
  const hop = plainHop(context);
  const { host } = context.remote;
  return hop ? `The host ${host}, or the proxy ${hop.display} on the way,` : `The host ${host}`;
}

/** The proxy that requests without TLS pass through, and which may answer them itself. */
function plainHop({ remote, effective }: RemoteFailure): ProxyHop | undefined {
  return remote.transport === 'http' ? proxyHop({ secure: false, host: remote.host }, effective) : undefined;
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

function refused(context: RemoteFailure, facts: Facts): DiagnosisError {
  const { remote, credentials } = context;
  const credential = describeCredential(
    remote.password && !credentials.password
      ? { username: remote.username ?? '', password: remote.password }
      : credentials,
  );
  const message =
    credential === 'none'
      ? facts['HTTP status'] === 403
        ? `The host ${remote.host} forbids it (403): no credential is configured for this URL, or the host does not let this address in`
        : `The host ${remote.host} wants a credential, and none is configured for this URL`
      : `The host ${remote.host} refused the credential (${credential})`;
  return failure(credentialRefused, {
    message,
    place: { remote: remote.display },
    evidence: common(context, { ...facts, credential }),
    remedies:
      credential === 'none'
        ? [
            {
              text: 'Add the repository with a credential',
              paste: `argocd repo add ${remote.display} --username USER --password TOKEN`,
            },
          ]
        : [
            `Correct or renew the credential${credentials.from ? ` in Secret ${credentials.from}` : ''}; it is tried again as soon as it changes`,
          ],
  });
}

function notFound(context: RemoteFailure, facts: Facts): DiagnosisError {
  const credential = describeCredential(context.credentials);
  return failure(repositoryNotFound, {
    message: `repository not found, or not visible ${credential === 'none' ? 'without a credential' : `to the credential (${credential})`}`,
    place: { remote: context.remote.display },
    evidence: common(context, { ...facts, credential }),
    remedies: [
      'Correct the repository URL',
      credential === 'none'
        ? 'If it is private, add a credential for it'
        : 'Or grant the credential the right to read it',
    ],
  });
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

async function explainCertificate(context: RemoteFailure, code: string, url: string): Promise<DiagnosisError> {
  const { remote, clock, timeout } = context;
  const proxied = proxyHop({ secure: true, host: remote.host }, context.effective) !== undefined;
  // past a proxy another host may answer: what is read there would be no evidence
  const served = proxied
    ? undefined
    : await servedCertificate(remote.host, remote.port, timeout).catch((): ServedCertificate | undefined => undefined);
  const skew = await hostSkew(context, url);
  const ours = new Date(clock.now()).toISOString();
  const facts: Facts = {
    error: code,
    ...served,
    'our clock': ours,
    'their clock': skew === undefined ? undefined : new Date(clock.now() + skew).toISOString(),
  };
  const timely = code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';
  if (timely && skew !== undefined && Math.abs(skew) > 60_000) {
    return failure(
      clockSkew,
      {
        message: `Our clock is ${duration(skew)} ${skew > 0 ? 'behind' : 'ahead of'} that of host ${remote.host}, so that its certificate seems ${code === 'CERT_HAS_EXPIRED' ? 'expired' : 'not yet valid'}`,
        place: { remote: remote.display },
        evidence: common(context, facts),
        remedies: ['Correct the time service (NTP) of this machine'],
      },
      { handling: 'retryable' },
    );
  }
  const faults = [code, ...otherFaults(code, remote.host, { served, now: clock.now() })].map((each) =>
    certificateWords(each, remote.host, served),
  );
  return failure(certificateInvalid, {
    message: faults.map(({ message }) => message).join('. '),
    place: { remote: remote.display },
    evidence: common(context, facts),
    remedies: faults.map(({ remedy }) => remedy),
  });
}

/** What would be wrong with the certificate still if the first fault were mended. */
function otherFaults(
  code: string,
  host: string,
  { served, now }: { served: ServedCertificate | undefined; now: number },
): string[] {
  if (!served) return [];
  const expired = Date.parse(served['not after']) < now;
  const wrongName = !isNamed(served['alternative names'], host);
  return [
    ...(expired && code !== 'CERT_HAS_EXPIRED' ? ['CERT_HAS_EXPIRED'] : []),
    ...(wrongName && code !== 'ERR_TLS_CERT_ALTNAME_INVALID' ? ['ERR_TLS_CERT_ALTNAME_INVALID'] : []),
  ];
}

/** Whether the alternative names of a certificate hold a host; a wildcard stands for one label. */
function isNamed(names: string, host: string): boolean {
  return names.split(/,\s*/).some((entry) => {
    const name = entry.replace(/^(DNS|IP Address):/, '').toLowerCase();
    if (!name.startsWith('*.')) return name === host.toLowerCase();
    return host.toLowerCase().slice(host.indexOf('.') + 1) === name.slice(2);
  });
}

function certificateWords(
  code: string,
  host: string,
  served: ServedCertificate | undefined,
): { message: string; remedy: string } {
  if (code === 'CERT_HAS_EXPIRED')
    return {
      message: `The certificate of ${host} has expired${served ? ` (${served['not after']})` : ''}`,
      remedy: 'Renew the certificate of the host',
    };
  if (code === 'CERT_NOT_YET_VALID')
    return {
      message: `The certificate of ${host} is not valid yet${served ? ` (not before ${served['not before']})` : ''}`,
      remedy: 'Correct the certificate of the host',
    };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      message: `The certificate of ${host} is for other names: ${served?.['alternative names'] ?? 'unknown'}`,
      remedy: 'Use a host name that the certificate has, or have it issued for this name',
    };
  return {
    message: `The certificate of ${host} is signed by an authority that is not known here${served ? `: ${served.issuer}` : ''}`,
    remedy: `Add the authority's certificate to the ConfigMap argocd-tls-certs-cm under the key ${host}`,
  };
}

function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME/.test(code);
}

/** How far the host's clock is ahead of ours, by the Date of an answer; no credential is sent. */
async function hostSkew(context: RemoteFailure, url: string): Promise<number | undefined> {
  const { clock, timeout, effective } = context;
  const transport = {
    ...(effective.proxy ? { proxy: effective.proxy } : {}),
    ...(effective.noProxy ? { noProxy: effective.noProxy } : {}),
  };
  try {
    const answer = await httpRequest({
      url,
      method: 'GET',
      headers: {},
      credentials: transport,
      clock,
      timeout,
      anyCertificate: true,
    });
    const date = Date.parse(answer.headers.date ?? '');
    return Number.isNaN(date) ? undefined : date - clock.now();
  } catch {
    // The certificate is the finding; the skew would have been evidence only.
    return undefined;
  }
}

async function explainSsh(context: RemoteFailure): Promise<DiagnosisError> {
  const { stderr, remote } = context;
  const proxy = /^proxy (\S+) port (\d+): (.+)$/m.exec(stderr);
  if (proxy)
    return ofProxy(context, {
      kind: /ECONN|ENOTFOUND|EAI_AGAIN|no answer/.test(proxy[3] ?? '') ? proxyUnreachable : proxyRefused,
      message: `The proxy ${proxy[1]} port ${proxy[2]} does not let us through: ${proxy[3]}`,
      evidence: { hop: 'proxy', 'set by': 'proxy of the repository' },
      remedies: ['Correct the proxy of the repository, or set noProxy for this host'],
    });
  if (/host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/i.test(stderr)) {
    if (/IDENTIFICATION HAS CHANGED/i.test(stderr)) return keyChanged(context);
    return failure(hostKeyUnknown, {
      message: `The SSH host key of ${remote.host} is not known`,
      place: { remote: remote.display },
      evidence: common(context, { ssh: lastLines(stderr) }),
      remedies: [
        {
          text: 'Compare the key with the one that the host publishes, then add it to argocd-ssh-known-hosts-cm',
          paste: `ssh-keyscan -p ${remote.port} ${remote.host} | argocd cert add-ssh --batch`,
        },
      ],
    });
  }
  if (/permission denied|authentication failed|invalid format|error in libcrypto|no such identity/i.test(stderr))
    return refused(context, { ssh: lastLines(stderr) });
  if (
    /repository not found|does not appear to be a git repository|project you were looking for|could not read from remote repository.*not exist|not exported/is.test(
      stderr,
    )
  )
    return notFound(context, { ssh: lastLines(stderr) });
  const unresolved = await lookupFailure(remote.host);
  if (unresolved) return nameUnknown(context, unresolved);
  const closed = await connectFailure(remote.host, remote.port, context.timeout);
  if (closed) return unreachable(context, closed.code ?? '', closed);
  return sshRefused(context) ?? unknown(context, {});
}

/** The connection stands, and SSH itself fails before anybody is asked who they are. */
function sshRefused(context: RemoteFailure): DiagnosisError | undefined {
  const { stderr, remote } = context;
  const at = `${remote.host} port ${remote.port}`;
  const facts = { phase: 'SSH key exchange', ssh: lastLines(stderr) };
  const methods = /no matching (\S+(?: \S+)*?) found\. Their offer: (\S+)/i.exec(stderr);
  if (methods)
    return unreachableBecause(
      context,
      `The SSH server at ${at} and this one agree on no ${methods[1]}: it offers ${methods[2]}`,
      facts,
      ['Let the host offer a method of today; it is too old, or set up too narrowly'],
    );
  if (
    /kex_exchange_identification|banner exchange|Bad packet length|ssh_dispatch_run_fatal|Connection (reset|closed) by/i.test(
      stderr,
    )
  )
    return unreachableBecause(
      context,
      `${at} takes the connection and ends it before SSH has begun: it may be no SSH server, be overloaded, or not let this address in`,
      facts,
      ['See that the port is that of SSH (ssh.HOST:443 is another one), and the log of the SSH server'],
    );
  return undefined;
}

/** Another remedy than for an unknown key: who adds the new one without a look lets in whoever stands in between. */
function keyChanged(context: RemoteFailure): DiagnosisError {
  const { stderr, remote } = context;
  const shown = /fingerprint for the (\S+) key sent by the remote host is\s+(\S+?)\.?\s/i.exec(stderr);
  const known = knownFingerprints(context.credentials.knownHosts ?? '', { host: remote.host, port: remote.port });
  return failure(hostKeyChanged, {
    message: `The SSH host ${remote.host} shows another key${shown ? ` (${shown[1]} ${shown[2]})` : ''} than the known one: it was set up anew, or somebody stands in between`,
    place: { remote: remote.display },
    evidence: common(context, {
      'key that is shown': shown ? `${shown[1]} ${shown[2]}` : undefined,
      'keys that are known': known.join(', ') || 'written in hashed form',
    }),
    remedies: [
      `Ask who runs ${remote.host} whether its key was changed, and compare the fingerprint with the one that they publish`,
      {
        text: 'Only then replace the entry of the host in argocd-ssh-known-hosts-cm',
        paste: `argocd cert rm ${remote.host} --cert-type ssh && ssh-keyscan -p ${remote.port} ${remote.host} | argocd cert add-ssh --batch`,
        loses: 'the protection against somebody in between, if the key was not compared',
      },
    ],
  });
}

async function lookupFailure(host: string): Promise<string | undefined> {
  try {
    await lookup(host);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ENOTFOUND';
  }
}

function connectFailure(host: string, port: number, timeout: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      ...guardedHost(host),
      host,
      port,
      timeout,
    });
    const end = (error?: NodeJS.ErrnoException) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', end);
  });
}

function nameUnknown(context: RemoteFailure, code: string): DiagnosisError {
  const { host } = context.remote;
  return code === 'EAI_AGAIN'
    ? unreachableBecause(
        context,
        `The name service (DNS) gives no answer for the host name ${host}: it fails or cannot be reached`,
        { phase: 'DNS', error: code },
        ['Restore the name service of this machine; the host and its name may be right. It is tried again by itself'],
      )
    : unreachableBecause(
        context,
        `The host name ${host} cannot be resolved: there is no such name`,
        { phase: 'DNS', error: code },
        ['Correct the host in the repository URL, or the name service (DNS) of this machine'],
      );
}

function unreachable(context: RemoteFailure, code: string, error: Error): DiagnosisError {
  const { host, port } = context.remote;
  const what =
    code === 'ECONNREFUSED'
      ? `Nothing listens at ${host} port ${port}: the connection was refused`
      : code === 'ETIMEDOUT' || code === 'ABORT_ERR'
        ? `The host ${host} did not answer within ${context.timeout / 1000} s`
        : code === 'EPROTO' && /wrong version number|packet length|http request/i.test(error.message)
          ? `The host ${host} speaks no TLS at port ${port}, and the URL says https`
          : `The connection to ${host} port ${port} failed: ${error.message.split('\n', 1)[0]}`;
  return unreachableBecause(context, what, { phase: code === 'EPROTO' ? 'TLS' : 'TCP', error: code || error.message }, [
    'Check that the host is up and that firewalls and network policies let us through; it is tried again by itself',
  ]);
}

function unreachableBecause(context: RemoteFailure, message: string, facts: Facts, remedies: string[]): DiagnosisError {
  return failure(
    repositoryUnreachable,
    { message, place: { remote: context.remote.display }, evidence: common(context, facts), remedies },
    { handling: 'retryable' },
  );
}

function unknown(context: RemoteFailure, facts: Facts): DiagnosisError {
  const words = lastLines(context.stderr) || 'git said nothing';
  return failure(
    repositoryFailed,
    {
      message: `git ${context.operation} failed: ${firstOf(words)}`,
      place: { remote: context.remote.display },
      evidence: common(context, { ...facts, git: words }),
      remedies: ['It is tried again by itself; the evidence has what git said'],
    },
    { handling: 'retryable' },
  );
}

function common(context: RemoteFailure, facts: Facts): Record<string, string | number | undefined> {
  return {
    ...facts,
    ...context.way,
    'last success':
      context.lastSuccess === undefined ? 'none since the start' : new Date(context.lastSuccess).toISOString(),
  };
}

/** The line that says what failed: git's advice that follows it is no cause. */
function firstOf(words: string): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /^(fatal|error|remote error):/i.test(line)) ?? lines.at(-1) ?? words;
}

function lastLines(stderr: string): string {
  return stderr.split('\n').slice(-6).join('\n');
}

function duration(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;
}
