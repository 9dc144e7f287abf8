import type { KeyReader } from '../keys/key-reader.ts';
import { SpecError, type TlsConfig } from '../spec/common.ts';

/** Why `tls` of azureServiceBus is refused, and what to do instead. */
export const noServiceBusTls =
  'tls is not supported: the client of Service Bus takes the authorities of the system; leave it out, and name a further authority by NODE_EXTRA_CA_CERTS';

/** What TLS connections of Node take. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

/** The options that a `tls` field asks for. Throws `SpecError` if it asks for nothing. */
export async function tlsOptions(tls: TlsConfig, keys: KeyReader): Promise<TlsOptions> {
  const { caCertSecret, clientCertSecret, clientKeySecret, insecureSkipVerify, enabled } = tls;
  if (insecureSkipVerify) return { rejectUnauthorized: false };
  const wrong = tlsProblem(tls);
  if (wrong) throw new SpecError('InvalidTls', wrong);
  if (enabled && !caCertSecret && !clientCertSecret) return {};
  return {
    ...(caCertSecret ? { ca: await keys.secret(caCertSecret) } : {}),
    ...(clientCertSecret && clientKeySecret
      ? { cert: await keys.secret(clientCertSecret), key: await keys.secret(clientKeySecret) }
      : {}),
  };
}

/** What is wrong with a `tls` field, by upstream's rules. */
export function tlsProblem(tls: TlsConfig | undefined): string | undefined {
  if (!tls || tls.insecureSkipVerify) return undefined;
  const { caCertSecret, clientCertSecret, clientKeySecret, enabled } = tls;
  if (!caCertSecret && !clientCertSecret && !clientKeySecret && !enabled)
    return 'invalid tls config, please configure either caCertSecret, or clientCertSecret and clientKeySecret, or both';
  if (Boolean(clientCertSecret) !== Boolean(clientKeySecret))
    return 'invalid tls config, both clientCertSecret and clientKeySecret need to be configured';
  return undefined;
}
