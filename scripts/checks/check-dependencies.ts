import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture.ts';

/** Licences that what is shipped or used to build may have. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

interface Locked {
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
  readonly link?: boolean;
  readonly resolved?: string;
}

/** Packages of the lock file whose licence is not allowed or not told, as `package-lock.json:1: what is wrong`. */
export function checkLicences(lock = readFileSync(join(root, 'package-lock.json'), 'utf8')): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  return Object.entries(packages).flatMap(([path, { license, link, resolved }]) => {
    if (link || !resolved || !path.includes('node_modules/')) return [];
    const named = (typeof license === 'string' ? license : license?.type) ?? 'none that is told';
    return isAllowed(named) ? [] : [`package-lock.json:1: ${path} has the licence ${named}`];
  });
}

/** `A OR B` leaves a choice, `A AND B` does not. */
function isAllowed(licence: string): boolean {
  const plain = licence.replace(/[()]/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((one) => allowed.includes(one.trim())));
}

/**
 * What `npm audit` knows of the packages that are shipped, from `high` on; asked once for each state of the lock file. Without a
 * registry there is no answer, which is no failure.
 */
export function checkAudit(): string[] {
  const state = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const folder = join(root, 'node_modules', '.cache', 'tiphys-audit');
  const file = join(folder, state);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', timeout: 60_000 });
  const found = vulnerabilities(stdout ?? '');
  if (!found) return [];
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(found));
  return found;
}

/** Undefined where there was no answer. */
export function vulnerabilities(report: string): string[] | undefined {
  try {
    const found = (JSON.parse(report) as { vulnerabilities?: Record<string, { severity: string; range: string }> })
      .vulnerabilities;
    return (
      found &&
      Object.entries(found)
        .filter(([, { severity }]) => ['high', 'critical'].includes(severity))
        .map(([name, { severity, range }]) => `package-lock.json:1: ${name} ${range} has a known flaw (${severity})`)
    );
  } catch {
    // no registry, or one that does not know of audits
    return undefined;
  }
}
