import { BlockList, isIP } from 'node:net';
import { registryAddressUnsafe } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';

const inside = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 24],
] as const)
  inside.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff02::', 16],
] as const)
  inside.addSubnet(network, prefix, 'ipv6');

/**
 * The token service that a registry names, if credentials may go there: a host of another name must be asked over https
 * (as the distribution specification allows), and must not be an address inside this network. Throws otherwise.
 */
export function checkedRealm(realm: string, registry: URL, asked: string): URL {
  const refuse = (reason: string): RegistryError =>
    new RegistryError(registryAddressUnsafe, `GET "${asked}": bearer realm ${JSON.stringify(realm)} ${reason}`, {
      message: `${registry.host} sends us to ${realm} for a token; no credentials were sent there: it ${reason}`,
      place: { remote: registry.host },
      evidence: { asked, realm },
      remedies: ['Have the registry name a token service of its own host, or one with https and a public name'],
    });
  if (!URL.canParse(realm)) throw refuse('is not a URL');
  const url = new URL(realm);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuse(`uses unsupported scheme ${JSON.stringify(url.protocol.slice(0, -1))}`);
  if (url.protocol === 'http:' && registry.protocol === 'https:')
    throw refuse('uses http but registry was contacted over https');
  if (url.hostname === registry.hostname) return url;
  if (url.protocol === 'http:') throw refuse('is another host without https');
  const address = url.hostname.replace(/^\[|\]$/g, '');
  const version = isIP(address);
  if (version !== 0 && inside.check(address, version === 6 ? 'ipv6' : 'ipv4'))
    throw refuse('is a loopback, link-local, private, or unspecified address');
  return url;
}
