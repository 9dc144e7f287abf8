import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { command } from './command.ts';
import type { Platform } from './platform.ts';

/** Of npm's packages, those that are large and rarely needed stay where they are, and `undici`, which is loaded from there in part. */
const left = /^(undici|@azure|@aws-sdk|@smithy|google-auth-library|@connectrpc)(\/|$)/;

/**
 * Builds the program that runs inside users' containers as `usr/local/bin/argoexec` of a folder. The same sources and the same Go give the
 * same bytes. Gives the version of Go. Throws with the remedy where Go is missing.
 */
export function writeWrapper(target: string, { app, platform }: { app: string; platform: Platform }): string {
  const env = {
    CGO_ENABLED: '0',
    GOOS: 'linux',
    GOARCH: platform.oci,
    GOFLAGS: '',
    GOWORK: 'off',
    GOTOOLCHAIN: 'local',
    GOCACHE: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys', 'go-build'),
  };
  const source = join(app, 'packages', 'automate', 'workflow-executor', 'wrapper');
  let version: string;
  try {
    version = command('go', ['env', 'GOVERSION'], { cwd: source, env }).trim();
  } catch (error) {
    throw new Error(
      "The image needs Go 1.24 or newer: a small static program runs users' commands inside their containers. Install golang-go, or put Go of https://go.dev/dl on PATH, and build again",
      { cause: error },
    );
  }
  const folder = join(target, 'usr', 'local', 'bin');
  mkdirSync(folder, { recursive: true });
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid='];
  command('go', ['build', ...flags, '-o', join(folder, 'argoexec'), '.'], { cwd: source, env });
  return version;
}

/** Puts the executor into one folder `app/workflow-executor`, without what it does not use: it starts twice in each pod. */
export async function bundleExecutor(app: string): Promise<void> {
  const bundle = await rolldown({
    input: join(app, 'packages', 'automate', 'workflow-executor', 'main.ts'),
    platform: 'node',
    external: left,
    // packages of ours do nothing when they are imported
    treeshake: { moduleSideEffects: (id) => id.includes('/node_modules/') && !id.includes('/@tiphys/') },
    onLog: (level, { message }) => {
      if (level === 'warn' && message.includes('UNRESOLVED_IMPORT')) throw new Error(message);
    },
  });
  try {
    await bundle.write({
      dir: join(app, 'workflow-executor'),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
  } finally {
    await bundle.close();
  }
}
