/** The URL as it may be shown: no user information, and no values of a query, which are often signatures. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/\/[^/@]*@/, '//').replace(/\?.*/, '');
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  const text = parsed.href;
  return url.endsWith('/') || parsed.pathname !== '/' ? text : text.replace(/\/$/, '');
}
