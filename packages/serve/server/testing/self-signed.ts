import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '../transport/port.ts';

/** A certificate for 127.0.0.1 that signed itself; undefined where openssl is not on PATH. */
export function selfSigned(name = 'localhost'): TlsFiles | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    // no openssl
    return undefined;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
