/** `--dex-server` as a URL: a host with a port is reached by TLS unless it is said to be plain text. */
export function dexAddress(text: string, plaintext: boolean): string {
  return text.includes('://') ? text : `${plaintext ? 'http' : 'https'}://${text}`;
}
