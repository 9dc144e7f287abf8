import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { timestamp } from '@tiphys/kubernetes';

/** What is known about a connection that failed. */
export interface FailedConnection {
  /** `host:port` that was dialled. */
  readonly address: string;
  /** The name that the certificate must be for. */
  readonly serverName: string;
  readonly certificate: PeerCertificate | undefined;
  /** Subjects of the authorities that were trusted. */
  readonly authorities: readonly string[];
  readonly now: number;
}

const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

/** A failed connection in the words of Go's net, tls and x509 packages. */
export function connectionFailure(error: NodeJS.ErrnoException, failed: FailedConnection): string {
  const { code = '', message } = error;
  if (UNKNOWN_AUTHORITY.has(code)) return verification(unknownAuthority(failed));
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return verification(wrongName(failed));
  if (code === 'CERT_HAS_EXPIRED') return verification(validity(failed, 'after', failed.certificate?.valid_to));
  if (code === 'CERT_NOT_YET_VALID') return verification(validity(failed, 'before', failed.certificate?.valid_from));
  if (code === 'ECONNREFUSED') return `dial tcp ${failed.address}: connect: connection refused`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `dial tcp: lookup ${failed.address.replace(/:\d+$/, '')}: no such host`;
  if (code === 'ETIMEDOUT' || error.name === 'TimeoutError') return 'context deadline exceeded';
  if (code === 'EHOSTUNREACH') return `dial tcp ${failed.address}: connect: no route to host`;
  if (code === 'ENETUNREACH') return `dial tcp ${failed.address}: connect: network is unreachable`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'EOF';
  if (/wrong version number|packet length too long|http request/i.test(message))
    return 'http: server gave HTTP response to HTTPS client';
  return message;
}

const verification = (text: string): string => `tls: failed to verify certificate: x509: ${text}`;

function unknownAuthority({ certificate, authorities }: FailedConnection): string {
  const issuer = certificate?.issuer?.CN;
  const text = 'certificate signed by unknown authority';
  const name = [issuer ?? ''].flat()[0] ?? '';
  if (!name || !authorities.includes(name)) return text;
  // An authority of that name is trusted, but it has not signed this.
  const why =
    certificate?.bits && !certificate.asn1Curve ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure';
  return `${text} (possibly because of ${JSON.stringify(why)} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}

function wrongName({ certificate, serverName }: FailedConnection): string {
  const names = (certificate?.subjectaltname ?? '').split(', ').filter(Boolean);
  const of = (kind: string) =>
    names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  if (isIP(serverName)) {
    const addresses = of('IP Address');
    if (!addresses.length)
      return `cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`;
    return `certificate is valid for ${addresses.join(', ')}, not ${serverName}`;
  }
  const dns = of('DNS');
  if (!names.length && certificate?.subject?.CN)
    return 'certificate relies on legacy Common Name field, use SANs instead';
  if (!dns.length) return `certificate is not valid for any names, but wanted to match ${serverName}`;
  return `certificate is valid for ${dns.join(', ')}, not ${serverName}`;
}

function validity({ now }: FailedConnection, relation: string, limit: string | undefined): string {
  const text = 'certificate has expired or is not yet valid';
  const at = Date.parse(limit ?? '');
  return Number.isNaN(at) ? text : `${text}: current time ${timestamp(now)} is ${relation} ${timestamp(at)}`;
}
