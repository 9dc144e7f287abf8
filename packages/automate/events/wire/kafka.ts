import type { BaseOptions, SASLOptions } from '@platformatic/kafka';
import { checkHosts } from '@tiphys/outbound';
import type { KeyReader } from '../keys/key-reader.ts';
import type { SaslConfig, TlsConfig } from '../spec/common.ts';
import { SpecError, type SpecProblem, within, wrong } from '../spec/spec-problem.ts';
import { tlsOptions } from './tls.ts';

/** What all clients of Kafka have in common. */
export async function kafkaOptions(
  {
    url,
    tls,
    sasl,
  }: { readonly url: string; readonly tls?: TlsConfig | undefined; readonly sasl?: SaslConfig | undefined },
  keys: KeyReader,
  clientId: string,
): Promise<BaseOptions> {
  await checkHosts(url);
  return {
    clientId,
    bootstrapBrokers: url.split(',').map((broker) => broker.trim()),
    autocreateTopics: true,
    ...(tls ? { tls: await tlsOptions(tls, keys) } : {}),
    ...(sasl ? { sasl: await saslOptions(sasl, keys) } : {}),
  };
}

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;

/** What is wrong with a `sasl` field. */
export function saslProblem(sasl: { readonly mechanism?: string | undefined } | undefined): SpecProblem | undefined {
  const wanted = sasl?.mechanism || 'PLAIN';
  if ((mechanisms as readonly string[]).includes(wanted)) return undefined;
  const known = mechanisms.join(', ');
  return wrong('mechanism', `sasl.mechanism ${wanted} is not supported; there are ${known}`, `Write one of ${known}`);
}

async function saslOptions(
  { mechanism, userSecret, passwordSecret }: SaslConfig,
  keys: KeyReader,
): Promise<SASLOptions> {
  const wanted = mechanism || 'PLAIN';
  const problem = saslProblem({ mechanism });
  const known = mechanisms.find((name) => name === wanted);
  if (problem || !known) throw new SpecError('InvalidSasl', problem?.text ?? '', within('sasl', problem));
  const username = userSecret ? await keys.secret(userSecret) : '';
  const password = passwordSecret ? await keys.secret(passwordSecret) : '';
  return known === 'OAUTHBEARER' ? { mechanism: known, token: password } : { mechanism: known, username, password };
}
