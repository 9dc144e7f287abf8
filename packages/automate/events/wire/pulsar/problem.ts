import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { tlsProblem } from '../tls.ts';

/** The fields that a source and a trigger have in common. */
export interface PulsarSpec {
  readonly url?: string;
  readonly tls?: TlsConfig;
  readonly tlsTrustCertsSecret?: KeySelector;
  readonly tlsAllowInsecureConnection?: boolean;
  readonly tlsValidateHostname?: boolean;
  readonly authTokenSecret?: KeySelector;
  readonly authAthenzParams?: Readonly<Record<string, string>>;
  readonly authAthenzSecret?: KeySelector;
}

/** What is wrong with the common fields. */
export function pulsarProblem({ url, tls, authAthenzParams, authAthenzSecret }: PulsarSpec): string | undefined {
  if (!url) return 'url must be specified';
  if (!URL.canParse(firstOf(url)) || !/^pulsar(\+ssl)?:$/.test(new URL(firstOf(url)).protocol))
    return `url ${url} is not supported: it begins with pulsar:// or pulsar+ssl://`;
  if (authAthenzParams || authAthenzSecret)
    return 'authAthenzParams and authAthenzSecret are not supported; use authTokenSecret, or tls with a client certificate';
  return tlsProblem(tls);
}

/** The first of the addresses of a service, which are separated by commas. */
export function firstOf(url: string): string {
  return (url.split(',')[0] ?? '').trim();
}
