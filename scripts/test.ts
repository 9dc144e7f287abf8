import { runTests } from './run-tests.ts';

const ok = await runTests({
  title: 'Tests on the sandbox',
  include: ['api/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
});
process.exitCode = ok ? 0 : 1;
