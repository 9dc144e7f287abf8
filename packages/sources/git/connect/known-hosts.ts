import { createHash } from 'node:crypto';

/** `ssh-ed25519 SHA256:…` of each key that the lines of known_hosts hold for a host; lines with hashed names are not read. */
export function knownFingerprints(text: string, { host, port }: { host: string; port: number }): string[] {
  const names = port === 22 ? [host, `[${host}]:22`] : [`[${host}]:${port}`];
  return text.split('\n').flatMap((line) => {
    const [hosts = '', type = '', key = ''] = line.trim().split(/\s+/);
    if (!key || !hosts.split(',').some((name) => names.includes(name))) return [];
    const digest = createHash('sha256')
      .update(Buffer.from(key, 'base64'))
      .digest('base64')
      .replace(/(?<!=)=+$/, '');
    return [`${type} SHA256:${digest}`];
  });
}
