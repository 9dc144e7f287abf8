import type { KeyReader } from '../keys/key-reader.ts';
import type { TlsConfig } from '../spec/common.ts';
import { missing, SpecError, type SpecProblem, within } from '../spec/spec-problem.ts';

/** Why `tls` of azureServiceBus is refused, and what to do instead. */
export const serviceBusTlsRefused: SpecProblem = {
  text: 'tls is not supported: the client of Service Bus takes the authorities of the system; leave it out, and name a further authority by NODE_EXTRA_CA_CERTS',
  field: 'tls',
  remedy: 'Remove it, and name a further authority by NODE_EXTRA_CA_CERTS of the process',
};

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
  const problem = tlsProblem(tls);
  if (problem) throw new SpecError('InvalidTls', problem.text, within('tls', problem));
  if (enabled && !caCertSecret && !clientCertSecret && !insecureSkipVerify) return {};
  return {
    ...(insecureSkipVerify ? { rejectUnauthorized: false } : {}),
    ...(caCertSecret && !insecureSkipVerify ? { ca: await keys.secret(caCertSecret) } : {}),
    ...(clientCertSecret && clientKeySecret
      ? { cert: await keys.secret(clientCertSecret), key: await keys.secret(clientKeySecret) }
      : {}),
  };
}

/** What is wrong with a `tls` field, by upstream's rules. */
export function tlsProblem(tls: TlsConfig | undefined): SpecProblem | undefined {
  if (!tls) return undefined;
  const { caCertSecret, clientCertSecret, clientKeySecret, enabled, insecureSkipVerify } = tls;
  if (!caCertSecret && !clientCertSecret && !clientKeySecret && !enabled && !insecureSkipVerify)
    return {
      text: 'invalid tls config, please configure either caCertSecret, or clientCertSecret and clientKeySecret, or both',
      remedy: 'Set caCertSecret, or enabled: true for the authorities of the system',
    };
  if (Boolean(clientCertSecret) !== Boolean(clientKeySecret))
    return missing(
      clientCertSecret ? 'clientKeySecret' : 'clientCertSecret',
      'invalid tls config, both clientCertSecret and clientKeySecret need to be configured',
    );
  return undefined;
}
