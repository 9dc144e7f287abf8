import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { hostProblem } from './policy.ts';

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

/**
 * Checks the hosts of an address as clients of brokers and mail take it: `HOST`, `HOST:PORT`, URLs, several separated by commas. For
 * clients that take no `lookup`; a name that is not found is theirs to tell.
 */
export async function checkHosts(text: string): Promise<void> {
  for (const item of text.split(',')) {
    const authority =
      item
        .trim()
        .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
        .split(/[/?#]/)[0] ?? '';
    const place = authority.slice(authority.lastIndexOf('@') + 1);
    const host = isIP(place) ? place : (/^\[[^\]]*\]/.exec(place)?.[0] ?? place.split(':')[0] ?? '');
    if (host === '') continue;
    await checkedAddresses(host).catch((error: unknown) => {
      if (!isUnresolved(error)) throw error;
    });
  }
}

/** Whether an error says that a name was not found. */
export function isUnresolved(error: unknown): boolean {
  return ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].includes((error as NodeJS.ErrnoException).code ?? '');
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
  const problem = refusedHost((typeof url === 'string' ? new URL(url) : url).hostname);
  if (problem) throw problem;
  return proxied ? {} : { lookup: guardedLookup };
}

/** The same for a host that is connected to without a URL, and without a proxy between. */
export function guardedHost(host: string): { lookup?: LookupFunction } {
  return guarded(`http://${isIP(host) === 6 ? `[${host}]` : host}`, false);
}

/** Whether a proxy of the environment is between, as Node's agents and curl read NO_PROXY. */
export function isProxied(url: URL | string, env: Readonly<Record<string, string | undefined>>): boolean {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  if (!(isSecure ? env.HTTPS_PROXY || env.https_proxy : env.HTTP_PROXY || env.http_proxy)) return false;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const exempt = (env.NO_PROXY || env.no_proxy || '').split(',').map((item) => item.trim().toLowerCase());
  const isOf = (item: string) => {
    const [name = '', only] = isIP(item) ? [item] : item.split(/:(?=\d+$)/);
    if (only !== undefined && only !== (port || (isSecure ? '443' : '80'))) return false;
    const domain = name.replace(/^\*?\./, '');
    return name === '*' || host === domain || host.endsWith(`.${domain}`);
  };
  // a guard too many refuses what the proxy would reach, one too few lets through what it would not
  return !exempt.some((item) => item !== '' && isOf(item));
}

/** Node's `lookup`, which fails for hosts at addresses that are refused. */
export const guardedLookup: LookupFunction = (host, options, done) => {
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

/** Why a host is not connected to that is an address; undefined for names, whose addresses are looked at by `guardedLookup`. */
export function refusedHost(host: string): DiagnosisError | undefined {
  const plain = host.replace(/^\[|\]$/g, '');
  const problem = isIP(plain) ? hostProblem(plain, plain) : undefined;
  return problem === undefined ? undefined : refused(plain, plain, problem);
}

function refuseAddress(host: string, address: string): void {
  const problem = hostProblem(host, address);
  if (problem) throw refused(host, address, problem);
}

function refused(host: string, address: string, problem: string): DiagnosisError {
  return failure(addressRefused, {
    message: `${host === address ? host : `${host} is at ${address}, which`} is not connected to: ${problem}`,
    place: { remote: host },
    remedies: [
      'Name a host that is reached by an address of its own',
      'Or have an administrator register the repository, without a project',
      'Or have the administrator of Tiphys allow it: TIPHYS_OUTBOUND=loopback,private. Link-local addresses are never connected to',
    ],
  });
}
