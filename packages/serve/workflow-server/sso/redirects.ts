import type { HttpRequest } from '@tiphys/server';

/**
 * A path of this server, in its plain form; undefined for what would lead a browser elsewhere. Browsers read a backslash as a slash and
 * leave out dots, so the address is judged as they would read it.
 */
export function pathWithin(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, origin)) return undefined;
  const url = new URL(text, origin);
  if (url.origin !== origin || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

const origin = 'http://server.invalid';

/** Where the provider sends a browser back to, as the browser, or the proxy before us, has called us. */
export function redirectUri(request: HttpRequest, { isSecure, base }: { isSecure: boolean; base: string }): string {
  const header = (name: string) => [request.headers[name]].flat()[0]?.split(',')[0]?.trim() ?? '';
  const told = header('x-forwarded-proto');
  const scheme = told === 'http' || told === 'https' ? told : isSecure ? 'https' : 'http';
  const host = header('x-forwarded-host') || header(':authority') || header('host');
  return new URL(`${base}oauth2/callback`, `${scheme}://${host}`).href;
}
