import { runTests } from './testing/run-tests.ts';

/** The entrances of strangers with many more inputs than in the gate; FAST_CHECK_SEED chooses which. */
const seed = process.env['FAST_CHECK_SEED'] ?? String(Math.floor(Date.now() / 1000));
const ok = await runTests({
  title: `Fuzzing with FAST_CHECK_SEED=${seed}`,
  include: ['test/security/fuzz'],
  env: { FAST_CHECK_SEED: seed, FUZZ_RUNS: process.env['FUZZ_RUNS'] ?? '20000' },
});
process.exitCode = ok ? 0 : 1;
