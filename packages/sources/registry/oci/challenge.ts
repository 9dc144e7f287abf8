/** What a registry wants before it answers. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string; readonly scope: string }
  | { readonly scheme: 'unknown' };

/** Reads a `WWW-Authenticate` header. */
export function parseChallenge(header: string): Challenge {
  const [, scheme = '', rest = ''] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*(.*)$/s.exec(header.slice(0, 8192)) ?? [];
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  if (scheme.toLowerCase() !== 'bearer') return { scheme: 'unknown' };
  const params = new Map<string, string>();
  const pattern = /([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,\s*|$)/gy;
  for (const [, key = '', quoted, plain] of rest.matchAll(pattern)) {
    params.set(key.toLowerCase(), quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(.)/g, '$1'));
  }
  return {
    scheme: 'bearer',
    realm: params.get('realm') ?? '',
    service: params.get('service') ?? '',
    scope: params.get('scope') ?? '',
  };
}
