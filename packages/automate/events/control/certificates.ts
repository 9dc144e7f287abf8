import forge from 'node-forge';

const years = 10;

export interface CertificateSet {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate for the hosts, with an authority of its own, valid for ten years. */
export function certificatesFor(hosts: readonly string[], now: number): CertificateSet {
  const authority = forge.pki.rsa.generateKeyPair(2048);
  const ca = certificate({ subject: authority.publicKey, issuer: authority.privateKey, name: 'tiphys-events-ca', now });
  ca.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
  ]);
  ca.sign(authority.privateKey, forge.md.sha256.create());
  const pair = forge.pki.rsa.generateKeyPair(2048);
  const cert = certificate({ subject: pair.publicKey, issuer: authority.privateKey, name: hosts[0] ?? '', now });
  cert.setIssuer(ca.subject.attributes);
  cert.setExtensions([
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    { name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2, value })) },
  ]);
  cert.sign(authority.privateKey, forge.md.sha256.create());
  return {
    ca: forge.pki.certificateToPem(ca),
    cert: forge.pki.certificateToPem(cert),
    key: forge.pki.privateKeyToPem(pair.privateKey),
  };
}

function certificate(options: {
  subject: forge.pki.rsa.PublicKey;
  issuer: forge.pki.rsa.PrivateKey;
  name: string;
  now: number;
}): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = options.subject;
  made.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(15))}`;
  made.validity.notBefore = new Date(options.now - 3_600_000);
  made.validity.notAfter = new Date(options.now + years * 365 * 86_400_000);
  const attributes = [
    { name: 'organizationName', value: 'io.argoproj' },
    { name: 'commonName', value: options.name.slice(0, 60) },
  ];
  made.setSubject(attributes);
  made.setIssuer(attributes);
  return made;
}
