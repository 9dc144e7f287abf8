import { runTests } from './run-tests.ts';
import { longSuites, quickTests } from './test-suites.ts';

const ok = await runTests({ title: 'Tests on the sandbox', include: quickTests, exclude: longSuites });
process.exitCode = ok ? 0 : 1;
