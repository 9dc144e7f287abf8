import { runTests } from './run-tests.ts';
import { longSuites } from './test-suites.ts';

/** What was recorded of the real programs, played against the sandbox and the renderers; real brokers; kills. */
const ok = await runTests({ title: 'Conformance with recorded programs', include: longSuites });
process.exitCode = ok ? 0 : 1;
