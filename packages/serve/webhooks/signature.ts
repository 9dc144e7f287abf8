import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells nothing of where they differ, nor of their lengths. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha512').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Why the HMAC-SHA256 of the body is not the one that the header gives; undefined if it is, or if there is no secret. */
export function hmacProblem(
  secret: string | undefined,
  body: Buffer,
  given: { header: string; value: string },
): string | undefined {
  if (!secret) return undefined;
  if (!given.value) return `the header ${given.header} is missing`;
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return sameSecret(given.value.replace(/^sha256=/, ''), expected)
    ? undefined
    : `the signature in ${given.header} is not one with our secret`;
}
