/** Tests of `npm test`. */
export const quickTests = ['api/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'];

/** Of these, what `npm run test:conformance` runs instead: long tables recorded from the real programs, and sweeps over every answer. */
export const longSuites = [
  'test/conformance/**/*.test.ts',
  'test/kubectl/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'scripts/parity/*.test.ts',
  'scripts/library-packages.test.ts',
  'test/security/{marker-sweep,advisories}.test.ts',
];
