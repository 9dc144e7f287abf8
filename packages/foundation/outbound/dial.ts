import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { addressProblem } from './policy.ts';

const addressRefused = defineDiagnosis(
  'AddressRefused',
  'A source leads to an address that Tiphys does not connect to',
);

/** Addresses of a host, in the order of the resolver. Throws a diagnosis if one of them is refused, Node's error if there is none. */
export async function checkedAddresses(host: string): Promise<readonly string[]> {
  const plain = host.replace(/^\[|\]$/g, '');
  const found = isIP(plain) ? [{ address: plain }] : await resolved(plain);
  for (const { address } of found) refuseAddress(plain, address);
  return found.map(({ address }) => address);
}

function resolved(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) =>
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
}

/**
 * Options of `request` for a URL that was not chosen by an administrator; for each hop anew. The address is checked when it is
 * connected to. Throws at once where the URL has an address for its host. With a proxy between it is the proxy's to look.
 */
export function guarded(url: URL | string, proxied: boolean): { lookup?: LookupFunction } {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) refuseAddress(host, host);
  return proxied ? {} : { lookup: guardedLookup };
}

const guardedLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 0);
    try {
      for (const { address } of addresses) refuseAddress(host, address);
    } catch (refused) {
      return done(refused as NodeJS.ErrnoException, '', 0);
    }
    const [first] = addresses;
    if (options.all) return done(null, addresses);
    return done(null, first?.address ?? '', first?.family ?? 0);
  });
};

function refuseAddress(host: string, address: string): void {
  const problem = addressProblem(address);
  if (problem) throw refused(host, address, problem);
}

function refused(host: string, address: string, problem: string): DiagnosisError {
  return failure(addressRefused, {
    message: `${host === address ? host : `${host} is at ${address}, which`} is not connected to: ${problem}`,
    place: { remote: host },
    remedies: [
      'Name a host that is reached by an address of its own',
      'Or have whoever starts Tiphys allow it: TIPHYS_OUTBOUND=loopback,private. Link-local addresses are never connected to',
    ],
  });
}
