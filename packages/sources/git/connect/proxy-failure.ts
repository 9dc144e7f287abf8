import type { DiagnosisKind, Finding } from '@tiphys/diagnosis';
import { proxyRefused, proxyUnreachable } from '../repository/diagnoses.ts';
import type { ProxyHop } from './route.ts';

export interface ProxyFinding extends Finding {
  readonly kind: DiagnosisKind;
}

/** The proxy itself cannot be reached: the host behind it was never asked, and is not accused. */
export function proxyDown(hop: ProxyHop, host: string, code: string): ProxyFinding {
  const why =
    code === 'ECONNREFUSED'
      ? 'nothing listens there'
      : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? 'its name cannot be resolved'
        : code === 'ETIMEDOUT'
          ? 'it does not answer'
          : `the connection failed (${code})`;
  return {
    kind: proxyUnreachable,
    message: `The proxy ${hop.display} on the way to ${host} cannot be reached: ${why}`,
    evidence: { hop: 'proxy', 'set by': hop.setBy, error: code, 'the host itself': 'was not asked' },
    remedies: [`Start or correct the proxy (${hop.setBy}), or except the host with noProxy`],
  };
}

/** The proxy answered in place of the host. */
export function proxyAnswered(hop: ProxyHop, host: string, status: number): ProxyFinding {
  const words: Readonly<Record<number, [string, string]>> = {
    407: ['wants other credentials', 'Put user name and password into the proxy URL'],
    403: [`does not let requests to ${host} through`, 'Permit the host in the rules of the proxy'],
    502: [`could not connect to ${host}`, 'See the log of the proxy: name service, firewall or host behind it'],
    503: [`could not connect to ${host}`, 'See the log of the proxy: name service, firewall or host behind it'],
    504: [`got no answer from ${host} in time`, 'See the log of the proxy: firewall or host behind it'],
  };
  const [what, remedy] = words[status] ?? [`answered ${status} in place of ${host}`, 'See the log of the proxy'];
  return {
    kind: proxyRefused,
    message: `The proxy ${hop.display} ${what} (${status})`,
    evidence: { hop: 'proxy', 'set by': hop.setBy, 'HTTP status': status },
    remedies: [remedy],
  };
}

/** A refusal that came by way of a proxy that reads what passes: it may be the proxy's own, or that of the host. */
export function proxyOrHost(hop: ProxyHop, host: string, status: number): ProxyFinding {
  return {
    kind: proxyRefused,
    message: `The proxy ${hop.display}, or the host ${host} behind it, does not let the request through (${status})`,
    evidence: { hop: 'proxy or host', 'set by': hop.setBy, 'HTTP status': status },
    remedies: [
      'Permit the host in the rules of the proxy, or except it with noProxy',
      'If the host itself refuses it, add a credential for the repository',
    ],
  };
}

/** The status with which a proxy refused a tunnel, by Node's error; undefined for other errors. */
export function tunnelStatus(error: Error & { code?: string; statusCode?: number }): number | undefined {
  if (error.code !== 'ERR_PROXY_TUNNEL') return undefined;
  return error.statusCode ?? Number(/HTTP\/1\.\d (\d{3})/.exec(error.message)?.[1] ?? Number.NaN);
}
