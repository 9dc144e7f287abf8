/**
 * The URL that a request asks for, by its target alone: scheme and host are `http://localhost`, whatever the target says. It never throws:
 * `//`, which is no URL beside a base, is a path like any other, and the host of an absolute target is left out.
 */
export function requestUrl({ url = '/' }: { readonly url?: string | undefined }): URL {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return new URL(`http://localhost${path.startsWith('/') ? '' : '/'}${path}`);
}
