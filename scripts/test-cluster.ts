import { runTests } from './run-tests.ts';

/** The installed image on a node with real containers, which it brings up and takes down again. */
const ok = await runTests({
  title: 'Tests on a node with containers',
  include: ['test/cluster/**/*.cluster.ts'],
  concurrency: 1,
});
process.exitCode = ok ? 0 : 1;
