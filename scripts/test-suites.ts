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

/**
 * What `npm run test:kube` runs on a real kube-apiserver: what asks an API server, or is asked by one, and whose answers depend on
 * what that server does. Each of these runs on the sandbox too, by `npm test` or `npm run test:conformance`.
 */
export const clusterTests = [
  'test/e2e/**/*.test.ts',
  'test/kubectl/**/*.test.ts',
  'test/kube-tier/**/*.kube.ts',
  'test/fuzz/**/*.kube.ts',
  'test/clients/**/*.{kube,test}.ts',
];

/**
 * Of these, what runs on the sandbox alone, by four rules:
 * - a test of one page speaks with the API of Tiphys, never with an API server; `web.test.ts` goes through the whole page on both;
 * - a command that works on files and registries asks no API server;
 * - a test whose containers are processes of this machine needs the sandbox's nodes; test/cluster has the same with real pods;
 * - a sweep over many orders of the same events is made where events are cheap; `crash.test.ts` kills the process on both.
 */
export const sandboxTests = [
  'test/e2e/web-*.test.ts',
  'test/e2e/{chart-cli,renders}.test.ts',
  'test/kubectl/kubeconfig.test.ts',
  'test/e2e/generated-crash.test.ts',
  'test/e2e/self-management.test.ts',
];

/**
 * Answers recorded from a real kube-apiserver. To play them against the server that they were recorded from says nothing of Tiphys:
 * it proves the recordings, and is done by `npm run test:recordings` whenever cases, recordings or the version of Kubernetes change.
 */
export const recordings = ['test/conformance/**/*.test.ts', 'test/kubectl/commands.test.ts'];
