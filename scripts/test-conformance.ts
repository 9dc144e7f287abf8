import { runTests } from './testing/run-tests.ts';
import { longSuites } from './testing/test-suites.ts';

/** What takes too long for `npm test`; the list says what. */
const ok = await runTests({ title: 'Long suites', include: longSuites });
process.exitCode = ok ? 0 : 1;
