import type { Finding } from '@tiphys/diagnosis';
import type { ProxyFinding } from '@tiphys/git';
import { type Access, describeAccess } from '../access/access.ts';
import {
  registryAnswerRefused,
  registryAnswerTooLarge,
  registryCertificateInvalid,
  registryCredentialRefused,
  registryRateLimited,
  registryUnreachable,
} from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import { withoutSecrets } from './without-secrets.ts';

interface Asked {
  readonly url: string;
  readonly method?: string;
  readonly access: Access;
}

const certificateCodes: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'x509: certificate is not valid for this name',
};

/** The failure of a request that got no answer. */
export async function unreachable({ url, method = 'GET', access }: Asked, error: unknown): Promise<RegistryError> {
  const caught = error as NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };
  const shown = withoutSecrets(url);
  const asked = `${method[0]}${method.slice(1).toLowerCase()} "${shown}"`;
  const evidence = { asked: `${method} ${shown}`, answer: caught.message, credentials: describeAccess(access) };
  const place = { remote: shown };
  const handling = { handling: 'retryable' as const, cause: error };
  const proxy = await proxyFault(url, access, caught);
  if (proxy) {
    const { kind, ...finding } = proxy;
    const told = { ...finding, place, evidence: { ...evidence, ...(finding.evidence as Record<string, string>) } };
    return new RegistryError(kind, `${asked}: proxyconnect ${goWords(caught, url)}`, told, handling);
  }
  const certificate = certificateCodes[caught.code ?? ''];
  if (certificate !== undefined) {
    return new RegistryError(
      registryCertificateInvalid,
      `${asked}: tls: failed to verify certificate: ${certificate}`,
      {
        message: `The certificate of ${hostOf(url)} is not accepted: ${caught.message}`,
        place,
        evidence: { ...evidence, reason: caught.code },
        remedies: certificateRemedies(caught.code ?? ''),
      },
      handling,
    );
  }
  return new RegistryError(
    registryUnreachable,
    `${asked}: ${goWords(caught, url)}`,
    {
      message: `${hostOf(url)} can not be reached: ${reasonOf(caught)}`,
      place,
      evidence,
      remedies: ['Check the URL, and that this machine may connect to the host (name, firewall, proxy)'],
    },
    handling,
  );
}

/** What failed on the way through a proxy, if it was the proxy: the host behind it is not accused then. */
async function proxyFault(
  url: string,
  access: Access,
  error: NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string },
): Promise<ProxyFinding | undefined> {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  // only who fails pays for loading it
  const { proxyHop, proxyDown, proxyAnswered, tunnelStatus } = await import('@tiphys/git');
  const hop = proxyHop({ secure: protocol === 'https:', host: hostname }, access);
  if (!hop) return undefined;
  const refusal = tunnelStatus(error);
  if (refusal !== undefined) return proxyAnswered(hop, hostname, refusal);
  const atProxy = error.port === hop.port || error.hostname === hop.host;
  return atProxy ? proxyDown(hop, hostname, error.code ?? error.message) : undefined;
}

function certificateRemedies(code: string): string[] {
  if (code === 'CERT_HAS_EXPIRED') return ['Renew the certificate of the host, or check the clock of this machine'];
  if (code === 'CERT_NOT_YET_VALID') return ['Check the clocks of this machine and of the host'];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return ['Use a name that the certificate is for'];
  return ['Give the authority that signed it: argocd-tls-certs-cm for this host, or --ca-file'];
}

/** Go's words for what Node found. */
function goWords(error: NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string }, url: string) {
  const at = error.address === undefined ? '' : ` ${error.address}:${error.port}`;
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp${at}: connect: connection refused`;
    case 'ECONNRESET':
      return error.message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${error.hostname ?? hostOf(url)}: no such host`;
    case 'ETIMEDOUT':
      return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return /wrong version number|packet length|http request/i.test(error.message)
        ? 'http: server gave HTTP response to HTTPS client'
        : `remote error: tls: ${error.message}`;
    default:
      return error.message;
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'nothing listens there';
  if (error.code === 'ENOTFOUND') return 'there is no such name (DNS)';
  if (error.code === 'EAI_AGAIN') return 'the name service (DNS) gives no answer';
  if (error.code === 'ETIMEDOUT') return 'no answer in time';
  if (error.code === 'EPROTO') return 'it does not speak TLS there';
  return error.message;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export function tooLarge(url: string, maxBytes: number): RegistryError {
  const shown = withoutSecrets(url);
  return new RegistryError(registryAnswerTooLarge, `the answer of ${shown} is larger than ${maxBytes} bytes`, {
    place: { remote: shown },
    evidence: { asked: shown, limit: `${maxBytes} bytes` },
    remedies: ['Make it smaller, or split the repository'],
  });
}

const indexFile = '/index.yaml';

/** The failure of a request that was answered with an error; `words` are helm's. */
export function refused(
  answer: { url: string; method: string; status: number; statusText: string },
  access: Access,
  words: string,
  extra: Finding['evidence'] & Readonly<Record<string, string | undefined>> = {},
): RegistryError {
  const shown = withoutSecrets(answer.url);
  const credentials = describeAccess(access);
  const finding = {
    place: { remote: shown },
    evidence: { asked: `${answer.method} ${shown}`, answer: answer.statusText, credentials, ...extra },
  };
  const host = hostOf(answer.url);
  if (answer.status === 401 || answer.status === 403) {
    const none = credentials === 'none';
    return new RegistryError(registryCredentialRefused, words, {
      ...finding,
      message: none
        ? `${host} wants credentials and none were given`
        : `${host} refused the credentials (${credentials}) with ${answer.statusText}`,
      remedies: [
        none
          ? 'Register the repository with its user name and password (a repository Secret, or helm repo add / registry login)'
          : 'Correct the user name and password, or let them pull this chart',
      ],
    });
  }
  if (answer.status === 429)
    return new RegistryError(
      registryRateLimited,
      words,
      {
        ...finding,
        message: `${host} limits the rate of our requests`,
        remedies: ['Wait, or give credentials of an account with a higher limit'],
      },
      { handling: 'retryable' },
    );
  const noIndex = answer.status === 404 && shown.endsWith(indexFile);
  return new RegistryError(
    registryAnswerRefused,
    words,
    {
      ...finding,
      message: noIndex
        ? `There is no Helm repository at ${shown.slice(0, -indexFile.length)}: it has no index.yaml (${answer.statusText})`
        : `${host} answered ${answer.statusText}`,
      remedies: [
        noIndex
          ? 'Correct the URL to that of the folder that holds index.yaml; one of OCI begins with oci:// or is registered with enableOCI'
          : answer.status === 404
            ? 'Check the URL: nothing is there, or it is hidden from these credentials'
            : 'Look at the log of the host',
      ],
    },
    { handling: answer.status >= 500 ? 'retryable' : 'stalled' },
  );
}
