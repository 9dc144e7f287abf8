import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkAdvisories } from './checks/check-advisories.ts';
import { checkAudit, checkLicences, checkLock } from './checks/check-dependencies.ts';
import { checkDialers } from './checks/check-dialers.ts';
import { checkLayers, checkPicture } from './checks/check-layers.ts';
import { checkMaps } from './checks/check-maps.ts';
import { checkPrograms } from './checks/check-programs.ts';
import { checkRegexps } from './checks/check-regexps.ts';

const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** Runs a tool with its output shown; true if it found nothing. */
function tool(title: string, command: string, args: string[]): boolean {
  process.stdout.write(`${title} … `);
  const result = spawnSync(bin(command), args, { cwd: root, encoding: 'utf8' });
  if (result.status === 0) process.stdout.write('ok\n');
  else
    process.stdout.write(`\n${result.error ? result.error.message : ''}${result.stdout ?? ''}${result.stderr ?? ''}\n`);
  return result.status === 0;
}

const outcomes = [
  tool('Format and lint', 'biome', ['check', '--error-on-warnings', '.']),
  tool('Types', 'tsc', ['-p', '.']),
  tool('Types of the web page', 'tsc', ['-p', 'packages/serve/web']),
  tool('Dead code', 'knip', ['--no-config-hints']),
];
/** Shows what a check of our own found; true if that is nothing. */
function own(title: string, breaches: readonly string[]): boolean {
  process.stdout.write(breaches.length === 0 ? `${title} … ok\n` : `${title} …\n${breaches.join('\n')}\n`);
  return breaches.length === 0;
}

outcomes.push(
  own('Layers', [...checkLayers(), ...checkPicture()]),
  own('Regular expressions', checkRegexps()),
  own('Names from outside', checkMaps()),
  own('Outgoing connections', checkDialers()),
  own('Programs that are started', checkPrograms()),
  own('Advisories', checkAdvisories()),
  own('Lock file', checkLock()),
  own('Licences and known flaws of packages', [...checkLicences(), ...checkAudit()]),
);
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
