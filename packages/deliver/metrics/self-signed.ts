import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** A certificate that nobody vouches for and its key, as PEM: for ports that speak TLS where anyone who reads them does not ask who it is. */
export async function selfSignedCertificate(name: string, now: number): Promise<{ cert: string; key: string }> {
  const { default: forge } = await import('node-forge');
  const pair = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(pair.publicKey);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(now - 3_600_000);
  certificate.validity.notAfter = new Date(now + 365 * 24 * 3_600_000);
  const subject = [{ name: 'commonName', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }]);
  certificate.sign(forge.pki.privateKeyFromPem(pair.privateKey), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: pair.privateKey };
}
