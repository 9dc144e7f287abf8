import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
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
export function pulsarProblem({ url, tls, authAthenzParams, authAthenzSecret }: PulsarSpec): SpecProblem | undefined {
  if (!url) return missing('url', 'url must be specified', 'pulsar://host:6650');
  if (!URL.canParse(firstOf(url)) || !/^pulsar(\+ssl)?:$/.test(new URL(firstOf(url)).protocol))
    return wrong(
      'url',
      `url ${url} is not supported: it begins with pulsar:// or pulsar+ssl://`,
      'Write an address such as pulsar://host:6650',
    );
  if (authAthenzParams || authAthenzSecret)
    return wrong(
      authAthenzParams ? 'authAthenzParams' : 'authAthenzSecret',
      'authAthenzParams and authAthenzSecret are not supported; use authTokenSecret, or tls with a client certificate',
      'Remove it, and set authTokenSecret, or tls with a client certificate',
    );
  return within('tls', tlsProblem(tls));
}

/** The first of the addresses of a service, which are separated by commas. */
export function firstOf(url: string): string {
  return (url.split(',')[0] ?? '').trim();
}
