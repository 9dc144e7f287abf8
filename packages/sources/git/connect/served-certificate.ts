import { connect, type PeerCertificate } from 'node:tls';
import { guardedHost } from '@tiphys/outbound';

/** What a host shows as its certificate, for evidence. */
export interface ServedCertificate extends Record<string, string> {
  readonly subject: string;
  readonly issuer: string;
  readonly 'alternative names': string;
  readonly 'not before': string;
  readonly 'not after': string;
  /** SHA-256 of the certificate, in pairs of hexadecimal digits. */
  readonly fingerprint: string;
}

/** Reads the certificate without believing it; nothing is sent. */
export function servedCertificate(host: string, port: number, timeout: number): Promise<ServedCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...guardedHost(host),
      host,
      port,
      timeout,
      rejectUnauthorized: false,
      ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
    });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      socket.destroy();
      resolve(describe(certificate));
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

function describe(certificate: PeerCertificate): ServedCertificate {
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    'alternative names': certificate.subjectaltname ?? 'none',
    'not before': dateOf(certificate.valid_from),
    'not after': dateOf(certificate.valid_to),
    fingerprint: certificate.fingerprint256 ?? 'none',
  };
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  return name
    ? Object.entries(name)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ')
    : 'none';
}

function dateOf(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
