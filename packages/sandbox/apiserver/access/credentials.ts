import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenSigner } from '@tiphys/apimachinery';
import { privateFile, privateFolder, writePrivate } from '@tiphys/files';
import { type Certificate, issueCertificate } from '@tiphys/pki';

/** The secrets of a cluster: kept with its state, so that kubeconfigs and tokens go on to work after a restart. */
export interface Credentials {
  readonly adminToken: string;
  /** PEM of the key that signs service-account tokens; one that is made is there later. */
  readonly tokenKey: string | Promise<string>;
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  /** The authority that signs client certificates. */
  readonly authority: Certificate & { readonly commonName: string };
  /** By what this server is known to those behind it, and the authority of that. Made at each start. */
  readonly frontProxy: Certificate & { readonly ca: string };
  /** By what kubelets know this server. Made at each start. */
  readonly kubeletClient: Certificate;
}

interface Kept {
  adminToken: string;
  tokenKey: string | Promise<string>;
  ca: { key: string; cert: string };
}

const CA_NAME = 'sandbox-ca';

/** Reads the credentials of a data folder, or makes new ones (and keeps them, if there is a folder). */
export async function loadCredentials(options: {
  dataDir: string | undefined;
  host: string;
  now: number;
}): Promise<Credentials> {
  const { ca, ...kept } =
    options.dataDir === undefined ? fresh(options.now) : await stored(options.dataDir, options.now);
  const { key, cert } = issueCertificate({
    commonName: 'kube-apiserver',
    hosts: [
      ...new Set([
        options.host,
        '127.0.0.1',
        '::1',
        'localhost',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
        '10.96.0.1',
      ]),
    ],
    use: 'server',
    now: options.now,
    issuer: { ...ca, commonName: CA_NAME },
  });
  return {
    ...kept,
    tls: { key, cert, ca: ca.cert },
    authority: { ...ca, commonName: CA_NAME },
    frontProxy: frontProxy(options.now),
    kubeletClient: issueCertificate({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
      use: 'client',
      now: options.now,
      issuer: { ...ca, commonName: CA_NAME },
    }),
  };
}

function frontProxy(now: number): Credentials['frontProxy'] {
  const commonName = 'front-proxy-ca';
  const ca = issueCertificate({ commonName, use: 'ca', now });
  const issuer = { ...ca, commonName };
  return { ...issueCertificate({ commonName: 'front-proxy-client', use: 'client', now, issuer }), ca: ca.cert };
}

function fresh(now: number): Kept {
  return {
    adminToken: randomBytes(24).toString('base64url'),
    tokenKey: TokenSigner.generateKey(),
    ca: issueCertificate({ commonName: CA_NAME, use: 'ca', now }),
  };
}

async function stored(dataDir: string, now: number): Promise<Kept> {
  privateFolder(dataDir);
  const file = join(dataDir, 'credentials.json');
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    privateFile(file);
    return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = fresh(now);
  made.tokenKey = await made.tokenKey;
  writePrivate(file, `${JSON.stringify(made)}\n`);
  return made;
}
