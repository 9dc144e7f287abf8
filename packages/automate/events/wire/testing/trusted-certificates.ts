import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type CertificateSet, certificatesFor } from '../../control/certificates.ts';

let made: CertificateSet | undefined;

/**
 * Certificates for `localhost` whose authority this process trusts from then on. One set for the process: two authorities of one name
 * would be taken for each other.
 */
export function trustedCertificates(): CertificateSet {
  if (made) return made;
  made = certificatesFor(['localhost'], Date.now());
  setDefaultCACertificates([...getCACertificates('default'), made.ca]);
  return made;
}
