import { BlockList, isIP } from 'node:net';

export interface OutboundPolicy {
  /** This machine. */
  readonly loopback: boolean;
  /** Networks that are not routed on the internet. */
  readonly private: boolean;
}

// One for the process: a connection that nobody told of it must not be one that may go anywhere.
let policy: OutboundPolicy = { loopback: true, private: true };

/** Sets what connections may be made from now on; for the composition root alone. */
export function setOutboundPolicy(wanted: OutboundPolicy): void {
  policy = wanted;
}

let registered: () => ReadonlySet<string> = () => new Set();

/** Tells which hosts an administrator has registered: they may be of this machine and of private networks. For the composition root alone. */
export function trustHosts(hosts: () => ReadonlySet<string>): void {
  registered = hosts;
}

/** Why a host is not connected to at an address; undefined where it may be. */
export function hostProblem(host: string, address: string): string | undefined {
  const problem = addressProblem(address);
  // asked only then: it is no cheap question
  if (problem === undefined || !registered().has(host.toLowerCase())) return problem;
  return addressProblem(address, { loopback: true, private: true });
}

/** `loopback`, `private`, both separated by a comma, or `public`; the default where there is nothing. Throws for other words. */
export function readOutboundPolicy(text: string | undefined, otherwise: OutboundPolicy): OutboundPolicy {
  const words = (text ?? '').split(',').map((word) => word.trim());
  if (!text?.trim()) return otherwise;
  const unknown = words.find((word) => !['loopback', 'private', 'public'].includes(word));
  if (unknown !== undefined)
    throw new RangeError(`TIPHYS_OUTBOUND has the word "${unknown}": use loopback, private, both, or public`);
  return { loopback: words.includes('loopback'), private: words.includes('private') };
}

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

const kinds = {
  loopback: listOf(['127.0.0.0/8', '::1/128']),
  private: listOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']),
  // the last two are metadata services of clouds that are at no link-local address
  never: listOf([
    '169.254.0.0/16',
    'fe80::/10',
    '0.0.0.0/8',
    '::/128',
    '224.0.0.0/4',
    '240.0.0.0/4',
    'ff00::/8',
    '100.100.100.200/32',
    'fd00:ec2::254/128',
  ]),
} as const;

/** Why an address is not connected to; undefined where it may be. */
export function addressProblem(address: string, { loopback, private: inner } = policy): string | undefined {
  const family = isIP(address);
  if (!family) return 'it is no address';
  const plain = embedded(address) ?? address;
  const is = (list: BlockList) => list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  if (is(kinds.never)) return 'it is link-local, unspecified, multicast or of a metadata service';
  if (!loopback && is(kinds.loopback)) return 'it is this machine';
  if (!inner && is(kinds.private)) return 'it is of a private network';
  return undefined;
}

/** The IPv4 address that an IPv6 address stands for: mapped, compatible, or by NAT64. */
function embedded(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const written = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join('.');
}
