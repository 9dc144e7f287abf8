import type { HttpRequest } from './http-message.ts';

/** Whether a page of another site sent the request: its Origin is neither the host of the request nor one of the settings. */
export function isForeignOrigin(
  { headers }: Pick<HttpRequest, 'headers'>,
  { url = '', additionalUrls = '' }: Readonly<Record<string, string>>,
): boolean {
  const { origin } = headers;
  if (typeof origin !== 'string') return false;
  // `null` is what a sandboxed frame, a file or a redirect from elsewhere sends
  if (!URL.canParse(origin)) return true;
  const configured = [...`${url} ${additionalUrls}`.matchAll(/https?:\/\/([^/\s"']+)/g)].map((match) => match[1]);
  const own = [headers.host, headers[':authority'], headers['x-forwarded-host'], ...configured];
  return !own.includes(new URL(origin).host);
}
