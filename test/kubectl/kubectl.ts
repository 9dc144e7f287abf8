import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../e2e/support/cluster.ts';
import { findProgram } from '../e2e/support/find-program.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** A cluster, a namespace in it that is nobody else's, and the real kubectl. */
export interface KubectlSession {
  readonly namespace: string;
  /** A folder for files, removed in the end. */
  readonly folder: string;
  /** Runs a command line, split at spaces; rejects unless it ends with 0. Answers with what it printed. */
  kubectl(command: string, options?: { input?: string }): Promise<string>;
  /** The same with given arguments, and with any end. */
  attempt(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Outcome>;
  close(): Promise<void>;
}

/** The recorded answers are those of kubectl 1.34; an older one lacks flags, a newer one warns of the skew. */
const wanted = { args: ['version', '--client'], pattern: /Client Version: v1\.34\./ };

/** The kubectl to test with: of KUBEBUILDER_ASSETS, of the cache that the kube tier fills, or on PATH; undefined if none is 1.34. */
export function findKubectl(): string | undefined {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys', 'kubernetes', '1.34.4');
  return findProgram('kubectl', 'TIPHYS_KUBECTL', {
    version: wanted,
    folders: [process.env.KUBEBUILDER_ASSETS, cache],
  });
}

/** Why these tests cannot run here; false if they can. */
export const skip: string | false = findKubectl()
  ? false
  : 'there is no kubectl 1.34: name one by TIPHYS_KUBECTL, or let `npm run test:kube` build one';

export async function startSession(prefix: string): Promise<KubectlSession> {
  const program = findKubectl() ?? 'kubectl';
  const cluster = await startCluster();
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-kubectl-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const namespace = `${prefix}-${process.pid}`;
  const attempt: KubectlSession['attempt'] = (args, options = {}) =>
    run(program, ['--kubeconfig', kubeconfig, '--cache-dir', folder, '--namespace', namespace, ...args], options);
  const kubectl: KubectlSession['kubectl'] = async (command, options) => {
    const { code, stdout, stderr } = await attempt(command.split(' '), options);
    if (code !== 0) throw new Error(`kubectl ${command} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  };
  await kubectl(`create namespace ${namespace}`);
  return {
    namespace,
    folder,
    kubectl,
    attempt,
    close: async () => {
      await attempt(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function run(
  program: string,
  args: readonly string[],
  { input, env }: { input?: string; env?: Record<string, string> },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: 240_000, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(error);
      },
    );
    // one that refuses its arguments ends before it has read anything
    child.stdin?.on('error', () => undefined).end(input ?? '');
  });
}
