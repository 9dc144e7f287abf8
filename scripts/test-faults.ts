import { runTests } from './testing/run-tests.ts';

const ok = await runTests({
  title: 'Every row of the table of faults',
  include: ['test/faults/**/*.test.ts'],
  env: { TIPHYS_FAULTS: 'all' },
});
process.exitCode = ok ? 0 : 1;
