const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The prefix and five random characters that spell no words. */
export function generateName(prefix: string): string {
  const random = crypto.getRandomValues(new Uint8Array(5));
  return prefix.slice(0, 58) + Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
