import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { readArchive } from '../chart/archive.ts';
import { defaultChartLimits } from '../chart/chart-files.ts';
import { loadArchive } from '../chart/load-chart.ts';
import { logLine } from '../problems/log.ts';
import { accessOfFlags } from './access-of-flags.ts';
import { ChartDownloader, type Verifying } from './chart-downloader.ts';
import { readArguments } from './command-arguments.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { pullFlags } from './flag-tables.ts';
import { FlagError, type ParsedFlags } from './flags.ts';
import { helmPaths } from './helm-environment.ts';

/** `helm pull CHART…` */
export async function pull(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const usage = '[chart URL | repo/chartname] [...] [flags]';
  const flags = readArguments(argv, { name: 'helm pull', usage, flags: pullFlags, least: 1 }, surroundings);
  if (!flags) return 0;
  const { out, error, workdir, signal } = surroundings;
  const downloader = new ChartDownloader({
    paths: helmPaths(flags, surroundings),
    access: accessOfFlags(flags, workdir),
    warn: (message, details) => error(logLine(message, details)),
    say: out,
    signal,
  });
  for (const reference of flags.args) await pullOne(reference, flags, downloader, surroundings);
  return 0;
}

async function pullOne(
  reference: string,
  flags: ParsedFlags,
  downloader: ChartDownloader,
  { out, workdir }: CommandSurroundings,
): Promise<void> {
  const version = flags.text('version') || (flags.flag('devel') ? '>0.0.0-0' : '');
  const repository = flags.text('repo');
  const located =
    repository === ''
      ? await downloader.locate(reference, version)
      : await downloader.locateIn(repository, reference, version);
  const verifying: Verifying = flags.flag('verify') ? 'always' : flags.flag('prov') ? 'later' : 'never';
  const destination = flags.text('destination') || '.';
  const { archive, fileName, provenance, verification } = await downloader.fetch(
    located,
    verifying,
    repository !== '' && located.kind === 'http' ? located.url : reference,
  );
  if (!flags.flag('untar')) {
    const target = resolve(workdir, destination, fileName);
    writeWhole(target, archive);
    if (provenance) writeWhole(`${target}.prov`, provenance);
  }
  if (verification) {
    for (const name of verification.signedBy) out(`Signed by: ${name}\n`);
    out(`Using Key With Fingerprint: ${verification.fingerprint}\n`);
    out(`Chart Hash Verified: ${verification.digest}\n`);
  }
  if (flags.flag('untar')) unpack(archive, reference, flags, { workdir, destination });
}

/** Each file below a folder of the chart's own name, and nowhere else. */
function unpack(
  archive: Buffer,
  reference: string,
  flags: ParsedFlags,
  { workdir, destination }: { workdir: string; destination: string },
): void {
  const untarDir = flags.text('untardir') || '.';
  const folder = isAbsolute(untarDir) ? untarDir : normalize(join(destination, untarDir));
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  const checked = folder === '.' ? last : join(folder, last);
  if (existsSync(resolve(workdir, checked)))
    throw new FlagError(`failed to untar: a file or directory with the name ${checked} already exists`);
  mkdirSync(resolve(workdir, checked), { recursive: true });
  const { name } = loadArchive(archive).metadata;
  // Loading proved that neither the name nor the paths lead out of it.
  const target = resolve(workdir, folder, basename(name));
  for (const file of readArchive(archive, defaultChartLimits)) {
    const path = join(target, file.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.data, { mode: 0o644 });
  }
}

function writeWhole(path: string, data: Buffer): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, data);
  renameSync(draft, path);
}
