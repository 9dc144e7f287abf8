const name = 'argocd.token';
const chunkSize = 4000;
/** Browsers keep some 180 cookies a site; a token of more parts is not one of ours. */
const maxChunks = 20;

/** The token of a request's Cookie header: whole, or in parts `argocd.token`, `argocd.token-1` … with the count in front. */
export function tokenOfCookies(header: string | undefined): string | undefined {
  const cookies = parseCookies(header);
  const first = cookies.get(name);
  if (!first) return undefined;
  const colon = first.indexOf(':');
  const count = colon > 0 ? Number(first.slice(0, colon)) : 1;
  const parts = [colon > 0 ? first.slice(colon + 1) : first];
  for (let i = 1; i < count && i < maxChunks; i++) parts.push(cookies.get(`${name}-${i}`) ?? '');
  return parts.join('') || undefined;
}

/** The value of one cookie. */
export function cookieOf(header: string | undefined, wanted: string): string | undefined {
  return parseCookies(header).get(wanted);
}

/** Set-Cookie headers that store a token, or remove it if the token is empty. */
export function tokenCookies(token: string, secure: boolean, path = '/'): string[] {
  const flags = flagsOf(secure, path);
  if (!token) return [`${name}=; ${flags}; Max-Age=0`];
  const parts = Array.from({ length: Math.ceil(token.length / chunkSize) }, (_, index) =>
    token.slice(index * chunkSize, (index + 1) * chunkSize),
  );
  return parts.map(
    (part, i) => `${name}${i ? `-${i}` : ''}=${i === 0 && parts.length > 1 ? `${parts.length}:` : ''}${part}; ${flags}`,
  );
}

/** Set-Cookie headers that remove the token of a request with all its parts. */
export function removedCookies(header: string | undefined, secure: boolean, path = '/'): string[] {
  const parts = [...parseCookies(header).keys()].filter((key) => key.startsWith(`${name}-`)).slice(0, maxChunks);
  return [name, ...parts].map((key) => `${key}=; ${flagsOf(secure, path)}; Max-Age=0`);
}

function flagsOf(secure: boolean, path: string): string {
  return `path=${path}; SameSite=lax; httpOnly${secure ? '; Secure' : ''}`;
}

export function parseCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0)
      cookies.set(
        pair.slice(0, equals).trim(),
        pair
          .slice(equals + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
  }
  return cookies;
}
