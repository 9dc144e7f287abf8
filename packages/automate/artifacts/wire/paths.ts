/** `key` with a path below it. */
export function below(key: string, file: string | undefined): string {
  return file ? `${key.replace(/(?<!\/)\/+$/, '')}/${file}` : key;
}

/** The prefix of whatever is below a key. */
export function prefixOf(key: string): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

/** A key in a URL's path: its slashes stay. */
export function encodedKey(key: string): string {
  return key
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
