import { isIP } from 'node:net';
import type { ClusterConfig } from './client.ts';
import type { Credential } from './credentials.ts';

/** Options of a TLS connection to the cluster; a certificate of the credential goes before that of the configuration. */
export function tlsOptions({ server, tls }: ClusterConfig, credential: Credential) {
  const host = new URL(server).hostname;
  const servername = tls?.serverName ?? (isIP(host.replace(/^\[|\]$/g, '')) ? undefined : host);
  const cert = credential.cert ?? tls?.cert;
  const key = credential.key ?? tls?.key;
  return {
    ...(tls?.ca ? { ca: tls.ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(servername ? { servername } : {}),
    ...(tls?.insecure ? { rejectUnauthorized: false } : {}),
  };
}
