import { misconfiguredProvider } from '../model/failures.ts';
import type { Authentication } from '../model/types.ts';

/** The header of a name and a password; none if neither is given. Throws if one of them is missing. */
export function basicHeaders(authentication: Authentication | undefined): Record<string, string> {
  const { username = '', password = '' } = authentication?.basicAuth ?? {};
  if (!username && !password) return {};
  for (const [name, value] of Object.entries({ username, password })) {
    if (!value) throw misconfiguredProvider(`missing mandatory parameter in metric for basic auth setup: ${name}`);
  }
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
