import { existsSync } from 'node:fs';
import { join } from 'node:path';

const programs = [
  'containerd',
  'runc',
  'ctr',
  'unshare',
  'nsenter',
  'ip',
  'iptables',
  'conntrack',
  'openssl',
  'python3',
  'go',
];

/** Why no node with containers can be brought up here; undefined if one can. */
export function whyNoNode(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a node needs root on Linux';
  const path = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  const missing = programs.filter((name) => !path.some((dir) => existsSync(join(dir, name))));
  if (missing.length > 0) return `there is no ${missing.join(', no ')}`;
  if (!existsSync('/usr/lib/cni/bridge')) return 'there are no CNI plugins in /usr/lib/cni';
  if (!existsSync('/usr/bin/busybox')) return 'there is no /usr/bin/busybox (busybox-static)';
  return undefined;
}
