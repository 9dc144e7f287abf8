/** Text as Lua holds it: one character for each byte of its UTF-8. */
export function toBytes(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The text that bytes are in UTF-8; what is none becomes U+FFFD. */
export function fromBytes(bytes: string): string {
  return /^[\x00-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}
