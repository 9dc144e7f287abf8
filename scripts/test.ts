import { runTests } from './testing/run-tests.ts';
import { longSuites, quickTests } from './testing/test-suites.ts';

/** A file that is asked for by its name runs whatever suite it is of. */
const isNarrowed = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const ok = await runTests({
  title: 'Tests on the sandbox',
  include: quickTests,
  exclude: isNarrowed ? [] : longSuites,
});
process.exitCode = ok ? 0 : 1;
