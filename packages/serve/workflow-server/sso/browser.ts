import type { HttpRequest, HttpResponse } from '@tiphys/server';

/** The first cookie of that name; undefined if there is none. */
export function cookieOf(request: HttpRequest, name: string): string | undefined {
  for (const each of (request.headers.cookie ?? '').split(';')) {
    const [key = '', ...rest] = each.trim().split('=');
    if (key === name) return rest.join('=').replace(/^"|"$/g, '');
  }
  return undefined;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** How long it lives; 0 takes it away. */
  readonly seconds: number;
  readonly path: string;
  readonly isSecure: boolean;
}

/** Scripts cannot read it, and other sites' forms do not send it. */
export function setCookie(response: HttpResponse, { name, value, seconds, path, isSecure }: Cookie): void {
  const text = /[ ,;"]/.test(value) ? `"${value}"` : value;
  const cookie = `${name}=${text}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const before = response.getHeader('Set-Cookie');
  response.setHeader('Set-Cookie', [...(Array.isArray(before) ? before : []), cookie]);
}

export function sendTo(response: HttpResponse, location: string): void {
  response.statusCode = 302;
  response.setHeader('Location', location);
  response.setHeader('Cache-Control', 'no-store');
  response.end();
}

/** Text that no browser takes for a page. */
export function sayPlainly(response: HttpResponse, status: number, message: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.end(`${message}\n`);
}
