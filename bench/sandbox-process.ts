import { startSandbox } from '@tiphys/sandbox';

/** A sandbox in a process of its own, for measuring: prints what whoever measures needs, and ends with its standard input. */
const before = performance.now();
const sandbox = await startSandbox(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(
  `${JSON.stringify({ url: sandbox.url, kubeconfig: sandbox.kubeconfig, started: performance.now() - before })}\n`,
);
process.stdin.resume().on('end', () => process.exit());
