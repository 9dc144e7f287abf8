import { createSecureContext } from 'node:tls';
import { defineDiagnosis, diagnosisOf, failure, formatDiagnosis } from '@tiphys/diagnosis';
import type { Log } from '../ports/log.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import type { Port, TlsFiles } from './port.ts';

const certificateUnusable = defineDiagnosis(
  'ServerCertificateUnusable',
  'The certificate under which the API is to be served cannot be used',
);

/**
 * Argo CD's rule: the certificate of the Secret `argocd-server-tls`, else that of `argocd-secret`; undefined if neither has one.
 * Throws a diagnosis that names the Secret if OpenSSL cannot use it.
 */
export function serverCertificate(plane: Pick<ControlPlane, 'secret' | 'namespace'>): TlsFiles | undefined {
  for (const name of ['argocd-server-tls', 'argocd-secret']) {
    const { 'tls.crt': cert, 'tls.key': key } = plane.secret(name);
    if (!cert || !key) continue;
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      throw failure(certificateUnusable, {
        message: `The certificate of Secret ${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        place: { object: `Secret ${plane.namespace}/${name}`, field: 'data["tls.crt"]' },
        remedies: ['Put a PEM certificate and the key that belongs to it into tls.crt and tls.key'],
      });
    }
    return { cert, key };
  }
  return undefined;
}

/** Shows a renewed certificate to new connections; one that cannot be used is reported, and the last good one stays. Returns what ends it. */
export function renewCertificate(
  plane: ControlPlane,
  first: TlsFiles,
  port: Pick<Port, 'renew'>,
  log: Log,
): () => void {
  let shown = first;
  let refused = '';
  return plane.subscribeSecrets(() => {
    try {
      const now = serverCertificate(plane);
      if (!now || (now.cert === shown.cert && now.key === shown.key)) return;
      port.renew(now);
      shown = now;
      refused = '';
    } catch (error) {
      const text = formatDiagnosis(diagnosisOf(error));
      if (text !== refused) log('error', text);
      refused = text;
    }
  });
}
