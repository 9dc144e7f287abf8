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
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** Licences of single packages: those that a decision allows, and those that the lock file does not hold. */
const allowedFor = new Map([
  [
    '@fortawesome/fontawesome-free',
    {
      licence: '(CC-BY-4.0 AND OFL-1.1 AND MIT)',
      why: 'its style sheets and fonts are served unchanged, with their notices, to pages that have extensions',
    },
  ],
  ['openpgp', { licence: 'LGPL-3.0+', why: 'used unchanged and replaceable, docs/decisions/0007-openpgp.md' }],
  ['ssh2', { licence: undefined, why: 'MIT, told as `licenses`, which the lock file leaves out' }],
  ['cpu-features', { licence: undefined, why: 'MIT, as ssh2' }],
  ['buildcheck', { licence: undefined, why: 'MIT, as ssh2' }],
]);

interface Locked {
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readLock(): string {
  return readFileSync(join(root, 'package-lock.json'), 'utf8');
}

/** Packages of the lock file that come from a registry, by their place in the tree. */
function fromRegistry(lock: string): [path: string, locked: Locked][] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([path, { link }]) => !link && path.includes('node_modules/'));
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * What keeps `npm ci` from installing the same on every machine, as `package-lock.json:1: what is wrong`: optional packages of
 * other platforms that are left out, packages without a checksum, and addresses of a registry, which not everybody can reach.
 */
export function checkLock(lock = readLock()): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  const places = new Set(Object.keys(packages));
  const found = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isPlaced(places, path, name))
      .map((name) => `package-lock.json:1: ${name}, optional of ${path}, is left out: npm install --package-lock-only`),
  );
  for (const [path, { integrity, resolved }] of fromRegistry(lock)) {
    if (!integrity) found.push(`package-lock.json:1: ${path} has no integrity`);
    if (resolved) found.push(`package-lock.json:1: ${path} names a registry, see .npmrc`);
  }
  return found;
}

/** As Node resolves modules: in the package's own `node_modules`, or in that of a folder above it. */
function isPlaced(places: ReadonlySet<string>, from: string, name: string): boolean {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    if (places.has(path ? `${path}/node_modules/${name}` : `node_modules/${name}`)) return true;
    if (!path) return false;
  }
}

/** Packages of the lock file whose licence is not allowed or not told, as `package-lock.json:1: what is wrong`. */
export function checkLicences(lock = readLock()): string[] {
  return fromRegistry(lock).flatMap(([path, { license }]) => {
    const told = typeof license === 'string' ? license : license?.type;
    const single = allowedFor.get(nameOf(path));
    if (single ? single.licence === told : told !== undefined && isAllowed(told)) return [];
    return [`package-lock.json:1: ${path} has the licence ${told ?? 'none that is told'}`];
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
  const state = createHash('sha256').update(readLock()).digest('hex');
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
