/** Tests of `npm test`. */
export const quickTests = ['api/**/*.test.ts', 'packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'];

/**
 * Of these, the long suites, which `npm run test:conformance` runs: long tables recorded from the real programs, sweeps over every
 * answer, order or random workflow, each page in a browser (`web.test.ts` goes through the whole page in `npm test`), every row of the table of
 * faults, the five incidents, what a tenant or a stranger may do at each entrance, sources of every kind, real brokers and stores, releases under load, the executor's program in real processes, installations of several processes, processes that are killed at any
 * instant, clusters that are away, what waits for minutes of a real clock, keys that are generated, and the
 * completion of every command.
 */
export const longSuites = [
  'test/conformance/**/*.test.ts',
  'test/kubectl/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'test/faults/{faults,families,page}.test.ts',
  'test/incidents/*.test.ts',
  'scripts/parity/*.test.ts',
  'scripts/library-packages.test.ts',
  'test/security/{advisories,authorisation-matrix,family-entrances,fuzz-servers,hostile-hooks,marker-sweep,marker-sweep-families}.test.ts',
  'test/security/{size-and-time,slow-and-flooding-clients,workflow-server}.test.ts',
  'scripts/generate/deploy-manifests.test.ts',
  'test/e2e/web/*.test.ts',
  'test/e2e/api/{cli-verbs,workflow-cli,workflow-server,workflow-sso}.test.ts',
  'test/e2e/crashes/*{crash,determinism,cluster-loss}.test.ts',
  'test/e2e/{confirmed-drift,deletion-during-sync,history,sync-windows}.test.ts',
  'test/e2e/installations/*.test.ts',
  'test/e2e/projects/{aggregated-apis,application-namespaces,clusters,customizations,impersonation,project-deletion,settings}.test.ts',
  'test/e2e/rollouts/{rollout-traffic,rollout-traffic-long,sticky-deadline}.test.ts',
  'test/e2e/sources/{chart-integrity,charts,health-gate,hydrator,preview,promote,renders,signatures,webhooks}.test.ts',
  'test/faults/{notifications,ssh,timeouts}.test.ts',
  'packages/automate/events/bus/{jetstream,kafka,stan}/*.test.ts',
  'packages/automate/events/bus/embedded/kills.test.ts',
  'packages/automate/events/source/queues/{brokers,queues}.test.ts',
  'packages/automate/events/trigger/{brokers,clouds}-triggers.test.ts',
  'packages/automate/workflow-executor/{executor-plugins,wrapper,local-store/local-store}.test.ts',
  'packages/automate/workflows/controller/{killed-controllers,start-workflows,webhook-certificate}.test.ts',
  'packages/automate/events/source/queues/azure.test.ts',
  'packages/automate/events/trigger/argo-workflow.test.ts',
  'packages/progress/rollouts/driven/driven.test.ts',
  'packages/sandbox/{nodes/recorded-pods,process-runtime/process-runtime}.test.ts',
  'packages/serve/server/terminal/terminal.test.ts',
  'packages/serve/cli/preview/sandbox-preview.test.ts',
  'packages/render/helm/bounds/hostile-{charts,templates}.test.ts',
  'packages/render/source/source-tool.test.ts',
  'packages/render/source/outcomes/*.test.ts',
  'packages/automate/workflows/simulate/random.test.ts',
  'packages/automate/artifacts/stores.test.ts',
  'packages/automate/workflow-executor/artifact-plugins.test.ts',
  'packages/foundation/template/sprig/keys.test.ts',
  'packages/render/helm/functions/trace-programs.test.ts',
  'packages/serve/cli/commands/completion.test.ts',
  'packages/serve/server/extensions/extensions.test.ts',
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
 * Of these, what runs on the sandbox alone, by five rules:
 * - a test of one page speaks with the API of Tiphys, never with an API server; `web.test.ts` goes through the whole page on both;
 * - a command that works on files and registries asks no API server;
 * - a release under load is measured at the proxy; `rollout-traffic.test.ts` makes one on both;
 * - a test whose containers are processes of this machine needs the sandbox's nodes; test/cluster has the same with real pods;
 * - a sweep over many orders of the same events is made where events are cheap; `crash.test.ts` kills the process on both.
 */
export const sandboxTests = [
  'test/e2e/web/*.test.ts',
  'test/e2e/{api/chart-cli,sources/renders,rollouts/rollout-traffic-long,installations/up-example}.test.ts',
  'test/kubectl/kubeconfig.test.ts',
  'test/e2e/crashes/generated-crash.test.ts',
  'test/e2e/installations/self-management.test.ts',
];

/**
 * Answers recorded from a real kube-apiserver. To play them against the server that they were recorded from says nothing of Tiphys:
 * it proves the recordings, and is done by `npm run test:recordings` whenever cases, recordings or the version of Kubernetes change.
 */
export const recordings = ['test/conformance/**/*.test.ts', 'test/kubectl/commands.test.ts'];
