/** Tests of `npm test`. */
export const quickTests = ['api/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'];

/**
 * Of these, what `npm run test:conformance` runs instead: long tables recorded from the real programs, sweeps over every answer,
 * real brokers, and processes that are killed at any instant.
 */
export const longSuites = [
  'test/conformance/**/*.test.ts',
  'test/kubectl/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'scripts/parity/*.test.ts',
  'scripts/library-packages.test.ts',
  'test/security/{marker-sweep,advisories}.test.ts',
  'test/e2e/{crash,generated-crash,rollout-crash,rollout-traffic-long,self-management}.test.ts',
  'packages/automate/events/bus/{jetstream,kafka,stan}/*.test.ts',
];
