import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A sandbox in a process of its own, for measuring: prints what anyone who measures needs, and ends with its standard input. */
// as the command line does
enableCompileCache(join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'compiled'));
const { startSandbox } = await import('@tiphys/sandbox');
const before = performance.now();
const sandbox = await startSandbox(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(
  `${JSON.stringify({ url: sandbox.url, kubeconfig: sandbox.kubeconfig, started: performance.now() - before })}\n`,
);
process.stdin.resume().on('end', () => process.exit());
