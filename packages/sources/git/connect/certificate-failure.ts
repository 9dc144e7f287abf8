import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { certificateInvalid, clockSkew } from '../repository/diagnoses.ts';
import { common, duration, type Facts, type RemoteFailure } from './failed-remote.ts';
import { httpRequest } from './http-request.ts';
import { proxyHop } from './route.ts';
import { type ServedCertificate, servedCertificate } from './served-certificate.ts';

export async function explainCertificate(context: RemoteFailure, code: string, url: string): Promise<DiagnosisError> {
  const { remote, clock, timeout } = context;
  const proxied = proxyHop({ secure: true, host: remote.host }, context.effective) !== undefined;
  // past a proxy another host may answer: what is read there would be no evidence
  const served = proxied
    ? undefined
    : await servedCertificate(remote.host, remote.port, timeout).catch((): ServedCertificate | undefined => undefined);
  const skew = await hostSkew(context, url);
  const ours = new Date(clock.now()).toISOString();
  const facts: Facts = {
    error: code,
    ...served,
    'our clock': ours,
    'their clock': skew === undefined ? undefined : new Date(clock.now() + skew).toISOString(),
  };
  const timely = code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';
  if (timely && skew !== undefined && Math.abs(skew) > 60_000) {
    return failure(
      clockSkew,
      {
        message: `Our clock is ${duration(skew)} ${skew > 0 ? 'behind' : 'ahead of'} that of host ${remote.host}, so that its certificate seems ${code === 'CERT_HAS_EXPIRED' ? 'expired' : 'not yet valid'}`,
        place: { remote: remote.display },
        evidence: common(context, facts),
        remedies: ['Correct the time service (NTP) of this machine'],
      },
      { handling: 'retryable' },
    );
  }
  const faults = [code, ...otherFaults(code, remote.host, { served, now: clock.now() })].map((each) =>
    certificateWords(each, remote.host, served),
  );
  return failure(certificateInvalid, {
    message: faults.map(({ message }) => message).join('. '),
    place: { remote: remote.display },
    evidence: common(context, facts),
    remedies: faults.map(({ remedy }) => remedy),
  });
}

/** What would be wrong with the certificate still if the first fault were mended. */
function otherFaults(
  code: string,
  host: string,
  { served, now }: { served: ServedCertificate | undefined; now: number },
): string[] {
  if (!served) return [];
  const expired = Date.parse(served['not after']) < now;
  const wrongName = !isNamed(served['alternative names'], host);
  return [
    ...(expired && code !== 'CERT_HAS_EXPIRED' ? ['CERT_HAS_EXPIRED'] : []),
    ...(wrongName && code !== 'ERR_TLS_CERT_ALTNAME_INVALID' ? ['ERR_TLS_CERT_ALTNAME_INVALID'] : []),
  ];
}

/** Whether the alternative names of a certificate hold a host; a wildcard stands for one label. */
function isNamed(names: string, host: string): boolean {
  return names.split(/,\s*/).some((entry) => {
    const name = entry.replace(/^(DNS|IP Address):/, '').toLowerCase();
    if (!name.startsWith('*.')) return name === host.toLowerCase();
    return host.toLowerCase().slice(host.indexOf('.') + 1) === name.slice(2);
  });
}

function certificateWords(
  code: string,
  host: string,
  served: ServedCertificate | undefined,
): { message: string; remedy: string } {
  if (code === 'CERT_HAS_EXPIRED')
    return {
      message: `The certificate of ${host} has expired${served ? ` (${served['not after']})` : ''}`,
      remedy: 'Renew the certificate of the host',
    };
  if (code === 'CERT_NOT_YET_VALID')
    return {
      message: `The certificate of ${host} is not valid yet${served ? ` (not before ${served['not before']})` : ''}`,
      remedy: 'Correct the certificate of the host',
    };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      message: `The certificate of ${host} is for other names: ${served?.['alternative names'] ?? 'unknown'}`,
      remedy: 'Use a host name that the certificate has, or have it issued for this name',
    };
  return {
    message: `The certificate of ${host} is signed by an authority that is not known here${served ? `: ${served.issuer}` : ''}`,
    remedy: `Add the authority's certificate to the ConfigMap argocd-tls-certs-cm under the key ${host}`,
  };
}

export function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME/.test(code);
}

/** How far the host's clock is ahead of ours, by the Date of an answer; no credential is sent. */
async function hostSkew(context: RemoteFailure, url: string): Promise<number | undefined> {
  const { clock, timeout, effective } = context;
  const transport = {
    ...(effective.proxy ? { proxy: effective.proxy } : {}),
    ...(effective.noProxy ? { noProxy: effective.noProxy } : {}),
  };
  try {
    const answer = await httpRequest({
      url,
      method: 'GET',
      headers: {},
      credentials: transport,
      clock,
      timeout,
      anyCertificate: true,
    });
    const date = Date.parse(answer.headers.date ?? '');
    return Number.isNaN(date) ? undefined : date - clock.now();
  } catch {
    // The certificate is the finding; the skew would have been evidence only.
    return undefined;
  }
}
