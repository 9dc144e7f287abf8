import { spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCertificate } from '@tiphys/git/testing';
import { helmCommand } from '@tiphys/helm';
import {
  type HelmRepositoryServer,
  makeSigner,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { scenarios } from './scenarios.ts';

/** The servers that a scenario may name, by their URL or host. */
export interface Servers {
  readonly open: HelmRepositoryServer;
  readonly guarded: HelmRepositoryServer;
  readonly secure: HelmRepositoryServer;
  readonly odd: HelmRepositoryServer;
  readonly registry: OciRegistryServer;
  readonly basicRegistry: OciRegistryServer;
  readonly tokenRegistry: OciRegistryServer;
  /** PEM file of the authority of `secure`. */
  readonly caFile: string;
  /** Key rings with the key that signed `signed` of `open` and of `registry`, and with another one. */
  readonly keyRing: string;
  readonly otherKeyRing: string;
}

/** Commands that share a home and a folder, run one after the other. */
export interface Scenario {
  readonly name: string;
  /** Files of the folder, by their path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly steps: readonly (readonly string[])[];
  /** Differences that are known and meant, by the index of the step: compared is the exit code alone. */
  readonly codeOnly?: readonly number[];
}

interface Result {
  readonly out: string;
  readonly error: string;
  readonly code: number | null;
}

/** Runs all scenarios by the real helm and by Tiphys against the same servers, and tells each difference. */
export async function networkParity(
  helm: string,
  log: (text: string) => void,
): Promise<{ passed: number; failed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-network-'));
  const counts = { passed: 0, failed: 0 };
  const servers = await startServers(folder);
  try {
    for (const scenario of scenarios(servers)) {
      const theirs = await runAll(scenario, join(folder, 'theirs'), (args, cwd, env) =>
        runProgram(helm, args, cwd, env),
      );
      const ours = await runAll(scenario, join(folder, 'ours'), runOwn);
      const differences = differencesOf(scenario, theirs, ours);
      counts[differences.length === 0 ? 'passed' : 'failed'] += 1;
      for (const difference of differences) log(`${scenario.name}: ${difference}`);
    }
  } finally {
    for (const server of Object.values(servers)) if (typeof server !== 'string') await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return counts;
}

async function startServers(folder: string): Promise<Servers> {
  const user = { username: 'robot', password: 'pass' };
  const tls = makeCertificate(join(folder, 'tls'));
  const servers = {
    open: await startHelmRepository(),
    guarded: await startHelmRepository({ auth: user }),
    secure: await startHelmRepository({ tls }),
    odd: await startHelmRepository({ answers: { '/values.yaml': { body: 'given: by URL\n' } } }),
    registry: await startOciRegistry({ pageSize: 2 }),
    basicRegistry: await startOciRegistry({ auth: { kind: 'basic', ...user } }),
    tokenRegistry: await startOciRegistry({ auth: { kind: 'bearer', ...user } }),
    caFile: join(folder, 'tls/tls.crt'),
    keyRing: join(folder, 'ring.gpg'),
    otherKeyRing: join(folder, 'other.gpg'),
  };
  for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1', '1.3.0+b1']) {
    const archive = packageChart('web', version);
    for (const repository of [servers.open, servers.guarded, servers.secure]) repository.add('web', version, archive);
    for (const registry of [servers.registry, servers.basicRegistry, servers.tokenRegistry])
      registry.pushChart('charts/web', version, archive);
  }
  servers.open.add('db', '0.1.0', packageChart('db', '0.1.0'));
  servers.registry.push('charts/image', '1.0.0', { layers: [] });
  servers.registry.push('charts/web', 'latest', { layers: [] });
  const signer = await makeSigner();
  writeFileSync(servers.keyRing, signer.publicKey);
  writeFileSync(servers.otherKeyRing, (await makeSigner()).publicKey);
  const archive = packageChart('signed', '1.0.0');
  const provenance = Buffer.from(await signer.sign(archive, 'signed-1.0.0.tgz'));
  servers.open.add('signed', '1.0.0', archive, provenance);
  servers.registry.pushChart('charts/signed', '1.0.0', archive, provenance);
  const forged = packageChart('forged', '1.0.0');
  servers.open.add('forged', '1.0.0', forged, Buffer.from(await signer.sign(archive, 'forged-1.0.0.tgz')));
  return servers;
}

type Runner = (args: readonly string[], cwd: string, env: Record<string, string>) => Promise<Result>;

async function runAll(scenario: Scenario, root: string, run: Runner): Promise<{ results: Result[]; files: string }> {
  rmSync(root, { recursive: true, force: true });
  const cwd = join(root, 'work');
  mkdirSync(cwd, { recursive: true });
  for (const [path, data] of Object.entries(scenario.files ?? {})) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), data);
  }
  const env = { HOME: join(root, 'home'), PATH: process.env.PATH ?? '' };
  const results: Result[] = [];
  for (const args of scenario.steps) {
    const { out, error, code } = await run(args, cwd, env);
    results.push({ out: normalised(out, root), error: normalised(error, root), code });
  }
  return { results, files: filesOf(root) };
}

function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      error += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ out, error, code }));
  });
}

async function runOwn(args: readonly string[], cwd: string, env: Record<string, string>): Promise<Result> {
  let [out, error] = ['', ''];
  const code = await helmCommand(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    workdir: cwd,
    env,
  });
  return { out, error, code };
}

/** Without what differs from run to run: folders, times, and the order in which updates end. */
function normalised(text: string, root: string): string {
  return text
    .replaceAll(root, 'ROOT')
    .replaceAll(/"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(?:Z|[+-]\d\d:\d\d)"?/g, 'TIME')
    .replaceAll(
      /(?:^\.\.\.(?:Success|Unable)[^\n]*\n(?:\t[^\n]*\n)?)+/gm,
      (lines) =>
        `${lines
          .split(/\n(?=\.\.\.)/)
          .map((line) => line.trimEnd())
          .sort()
          .join('\n')}\n`,
    )
    .replaceAll(/^level=WARN msg="skipping loading.*source=ROOT.*\n/gm, '');
}

/** Text files that the commands left, and the names of the others. */
function filesOf(root: string): string {
  const lines: string[] = [];
  for (const path of globSync('**/*', { cwd: root }).sort()) {
    if (/\/content(\/|$)|helm-manager|\.lock$|\.chart$/.test(path) && !/(Chart|requirements)\.lock$/.test(path))
      continue;
    const full = join(root, path);
    if (/\.(ya?ml|txt|lock|json)$/.test(path))
      lines.push(`== ${path}\n${normalised(readFileSync(full, 'utf8'), root)}`);
    else if (/\.(tgz|prov)$/.test(path)) lines.push(`== ${path}`);
  }
  return lines.join('\n');
}

function differencesOf(
  scenario: Scenario,
  theirs: { results: readonly Result[]; files: string },
  ours: { results: readonly Result[]; files: string },
): string[] {
  const found: string[] = [];
  for (const [step, args] of scenario.steps.entries()) {
    const [a, b] = [theirs.results[step], ours.results[step]];
    if (!a || !b) continue;
    const command = `helm ${args.join(' ')}`;
    if (a.code !== b.code)
      found.push(`${command}: exit code ${a.code} by helm, ${b.code} by Tiphys\n${a.error}${b.error}`);
    if (scenario.codeOnly?.includes(step)) continue;
    if (a.out !== b.out) found.push(`${command}: output\n--- helm\n${a.out}+++ tiphys\n${b.out}`);
    // After helm's own words comes the diagnosis.
    if (!b.error.startsWith(a.error.trimEnd()))
      found.push(`${command}: errors\n--- helm\n${a.error}+++ tiphys\n${b.error}`);
  }
  if (theirs.files !== ours.files) found.push(`files\n--- helm\n${theirs.files}\n+++ tiphys\n${ours.files}`);
  return found;
}
