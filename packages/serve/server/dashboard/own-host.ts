import { isIP } from 'node:net';

/**
 * Whether a request names this machine by a loopback name. A page of another site can give its own name the address of this machine,
 * and would then be let in as ours.
 */
export function isOwnHost(named: string): boolean {
  const name = URL.canParse(`http://${named}`) ? new URL(`http://${named}`).hostname : '';
  return isLoopback(name.replace(/^\[|\]$/g, ''));
}

/** Whether nobody on another machine reaches an address. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}
