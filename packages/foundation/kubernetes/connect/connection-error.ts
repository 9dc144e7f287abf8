import { type PeerCertificate, connect as tlsConnect } from 'node:tls';
import { type DiagnosisError, type DiagnosisKind, type Finding, failure } from '@tiphys/diagnosis';
import type { ClusterConfig } from './client.ts';
import * as kinds from './diagnoses.ts';

const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
/** What OpenSSL says of PEM that is none, and of a key that is of another certificate, before anything is sent. */
const unreadable = new Set([
  'ERR_OSSL_PEM_NO_START_LINE',
  'ERR_OSSL_PEM_BAD_BASE64_DECODE',
  'ERR_OSSL_PEM_BAD_END_LINE',
  'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
  'ERR_OSSL_UNSUPPORTED',
]);
/** Of an answer that is kept whole, in bytes: near the longest text that there can be. */
export const longestAnswer = 500 << 20;
const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Whether the connection broke before an answer came, as kept-alive connections do that the server has closed. */
export function isBrokenConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** The diagnosis of what an API server says without end: it is not read further. */
export function answerTooLong(config: ClusterConfig, what: string, longest: number, cause?: unknown): DiagnosisError {
  const { protocol, host } = new URL(config.server);
  return failure(
    kinds.clusterAnswerTooLong,
    {
      message: `The API server at ${host} sent more than ${longest >> 20} MiB as ${what}, and was not read further`,
      place: { remote: `${protocol}//${host}` },
      evidence: { cluster: config.name, 'MiB that are read': String(longest >> 20) },
      remedies: [
        'Ask the API server for what it sends there, with kubectl get --raw',
        'Remove the cluster if it is not to be trusted',
      ],
    },
    { handling: 'retryable', cause },
  );
}

/** The diagnosis of a request that got no answer: DNS, TCP and TLS failures apart (failure C17). */
export async function connectionError(error: unknown, config: ClusterConfig): Promise<DiagnosisError> {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  const url = new URL(config.server);
  const host = url.hostname;
  const place = { remote: `${url.protocol}//${url.host}` };
  const atProxy = proxyError(error, config, code, text);
  if (atProxy) return atProxy;
  const seen = { cluster: config.name, error: code || text, ...(code && text !== code ? { detail: text } : {}) };
  const make = (kind: DiagnosisKind, message: string, remedies: Finding['remedies'] = [], evidence = {}) =>
    failure(
      kind,
      { message, place, evidence: { ...seen, ...evidence }, remedies },
      { handling: 'retryable', cause: error },
    );

  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return answerTooLong(config, 'one answer', longestAnswer, error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return make(kinds.clusterNameUnresolved, `DNS does not resolve ${host}, the host of the API server`, [
      `Correct the server URL of the cluster, or the DNS entry of ${host}`,
    ]);
  }
  if (code === 'ECONNREFUSED') {
    return make(
      kinds.clusterConnectionRefused,
      `Nothing listens at ${url.host}: the API server is down or its address is wrong`,
      ['Start the cluster, or correct the server URL'],
    );
  }
  if (timeouts.has(code)) {
    const phase = code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT' ? 'No connection to' : 'No answer from';
    return make(kinds.clusterTimeout, `${phase} the API server at ${url.host} in time`, [
      'Check firewalls, routes and the load of the API server',
    ]);
  }
  const certificate = isCertificateError(code) ? await peerCertificate(config) : undefined;
  const shown = certificate ? describeCertificate(certificate) : {};
  if (untrusted.has(code)) {
    return make(
      kinds.clusterCertificateUntrusted,
      `The API server at ${url.host} shows a certificate of an authority that is not trusted`,
      [
        config.tls?.ca
          ? 'Replace the CA of the cluster by the one that signs its certificate now'
          : 'Give the CA of the cluster',
      ],
      shown,
    );
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return make(
      kinds.clusterCertificateExpired,
      `The certificate of the API server at ${url.host} is expired${certificate ? ` since ${certificate.valid_to}` : ''}`,
      ['Renew the certificate of the API server; if it is not expired, correct the clock of this machine'],
      { ...shown, now: new Date().toISOString() },
    );
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return make(
      kinds.clusterCertificateNotYetValid,
      `The certificate of the API server at ${url.host} is valid only from ${certificate?.valid_from ?? 'later'}: our clock is probably behind`,
      ['Correct the clock of this machine (NTP)'],
      { ...shown, now: new Date().toISOString() },
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const name = config.tls?.serverName ?? host;
    return make(
      kinds.clusterCertificateName,
      `The certificate of the API server at ${url.host} is not for ${name}`,
      ['Use a server URL with one of the names of the certificate, or set the TLS server name'],
      shown,
    );
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO' || code.startsWith('ERR_OSSL')) {
    if (unreadable.has(code)) {
      return make(
        kinds.clusterCredentialUnreadable,
        `The client certificate or the key that is given for the cluster at ${url.host} cannot be read`,
        ['Give both as PEM; in the Secret of a cluster certData and keyData of tlsClientConfig hold it in base64'],
      );
    }
    const plain = code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
    const alert = /ALERT/.test(code);
    return make(
      kinds.clusterTlsFailed,
      plain
        ? `${url.host} does not speak TLS`
        : alert
          ? `The API server at ${url.host} refused our TLS certificate`
          : `TLS with the API server at ${url.host} failed`,
      [plain ? 'Correct the port or the scheme of the server URL' : 'Check the client certificate and its key'],
    );
  }
  return make(kinds.clusterUnreachable, `The connection to the API server at ${url.host} failed: ${text || code}`, [
    'Check the network and whether the API server runs',
  ]);
}

/** What failed on the way to the proxy of a cluster, or is its answer, says nothing of the API server behind it. */
function proxyError(error: unknown, config: ClusterConfig, code: string, text: string): DiagnosisError | undefined {
  if (!config.proxyUrl || !URL.canParse(config.proxyUrl)) return undefined;
  const proxy = new URL(config.proxyUrl);
  const [, answer] = /Proxy response \((\d+)\)/.exec(text) ?? [];
  const unreached: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: `DNS does not resolve ${proxy.hostname}`,
    EAI_AGAIN: `DNS does not resolve ${proxy.hostname}`,
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    ETIMEDOUT: 'no connection in time',
  };
  const why = answer ? `it answers ${answer}` : unreached[code];
  if (why === undefined) return undefined;
  return failure(
    kinds.clusterProxyFailed,
    {
      message: `The proxy ${proxy.host} of the cluster lets nothing through to ${new URL(config.server).host}: ${why}`,
      place: { remote: `${proxy.protocol}//${proxy.host}` },
      evidence: {
        cluster: config.name,
        'API server': config.server,
        'the proxy is set by': 'proxyUrl of the cluster',
        error: code || text,
      },
      remedies: [
        answer === '407'
          ? 'Give the proxy a user and a password: proxyUrl: http://USER:PASSWORD@HOST:PORT'
          : answer
            ? `Let the proxy connect to ${new URL(config.server).host}`
            : 'Start the proxy, or correct or remove proxyUrl of the cluster',
      ],
    },
    { handling: 'retryable', cause: error },
  );
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  const inner = codeOf(cause) || codeOf(errors?.[0]);
  return inner || (typeof code === 'string' ? code : '');
}

function isCertificateError(code: string): boolean {
  return untrusted.has(code) || code.startsWith('CERT_') || code === 'ERR_TLS_CERT_ALTNAME_INVALID';
}

/** The certificate that the server shows, fetched without sending anything; undefined if there is none to get. */
function peerCertificate(config: ClusterConfig): Promise<PeerCertificate | undefined> {
  const url = new URL(config.server);
  if (config.proxyUrl) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const servername = config.tls?.serverName ?? (/^[\d.]+$|:/.test(host) ? '' : host);
    const socket = tlsConnect({ host, port: Number(url.port || 443), servername, rejectUnauthorized: false });
    const done = (certificate?: PeerCertificate) => {
      socket.destroy();
      resolve(certificate);
    };
    socket.setTimeout(3000, () => done());
    socket.once('secureConnect', () => done(socket.getPeerCertificate(true)));
    socket.once('error', () => done());
  });
}

function describeCertificate(certificate: PeerCertificate): Record<string, string> {
  const name = (part: PeerCertificate['subject'] | undefined) =>
    Object.entries(part ?? {})
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(', ');
  return {
    subject: name(certificate.subject),
    issuer: name(certificate.issuer),
    names: certificate.subjectaltname ?? 'none',
    'valid from': certificate.valid_from,
    'valid to': certificate.valid_to,
  };
}
