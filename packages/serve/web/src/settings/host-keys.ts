import type { CertificateEntry } from '../api/settings.ts';

const line = /^(\S+)\s+((?:ssh|ecdsa|sk)-[\w@.-]+)\s+([A-Za-z0-9+/=]{16,})/;

/** The keys of lines as `known_hosts` has them; a line of several hosts gives one for each. */
export function readHostKeys(text: string): CertificateEntry[] {
  return keyLines(text).flatMap((one) => {
    const [, hosts = '', type = '', key = ''] = line.exec(one) ?? [];
    return hosts
      .split(',')
      .filter(Boolean)
      .map((serverName) => ({ serverName, certType: 'ssh', certSubType: type, certData: base64(key) }));
  });
}

export function hostKeyProblem(text: string): string | undefined {
  const lines = keyLines(text);
  if (lines.some((one) => one.startsWith('|'))) return 'Hashed names cannot be read: use ssh-keyscan without -H';
  return lines.every((one) => line.test(one)) ? undefined : 'A line is: host, kind of key, key';
}

const keyLines = (text: string) =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !one.startsWith('#'));

/** Of a text in UTF-8. */
export function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
