import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchArchive } from './families/archive.ts';
import { benchEvents } from './families/events.ts';
import { benchRollouts } from './families/rollouts.ts';
import { benchWorkflows } from './families/workflows.ts';
import { benchArgocd } from './fleet/argocd.ts';
import { benchBigCluster } from './fleet/big-cluster.ts';
import { benchClusters } from './fleet/clusters.ts';
import { benchFleet } from './fleet/fleet.ts';
import { benchLoad } from './fleet/load.ts';
import { benchMonorepo } from './fleet/monorepo.ts';
import { benchRequests } from './fleet/requests.ts';
import { benchSoak } from './fleet/soak.ts';
import { benchHelm } from './render/helm.ts';
import { benchKustomize } from './render/kustomize.ts';
import { benchSandbox } from './sandbox/sandbox.ts';
import { benchStart } from './start.ts';
import { benchWeb } from './web/web.ts';

/**
 * `npm run bench [-- NAME …]` prints a table for each of these, or for all:
 * - start: from the start of the process to the example being Healthy
 * - fleet: `TIPHYS_BENCH_APPLICATIONS` (1,000) on a real kube-apiserver; fleet-kustomizations and fleet-charts: of a kustomization or chart each; fleet-sandbox
 * - clusters: `TIPHYS_BENCH_CLUSTERS` (50) and `TIPHYS_BENCH_REPOSITORIES` (200) with 2,000 applications; all clusters are sandboxes
 * - requests: what is asked of the API server, by verb and resource
 * - argocd: the same work (200 applications) by the Argo CD on PATH
 * - big-cluster: the view of one cluster with `TIPHYS_BENCH_OBJECTS` (100,000)
 * - monorepo: a repository of `TIPHYS_BENCH_FILES` (1,000,000), and `TIPHYS_BENCH_PUSHES` (3,600), one after the other
 * - events: at 1, 100 and 1,000 sources, the last beside `TIPHYS_BENCH_SECRETS` Secrets (20,000; 0 leaves it out); beside the `argo-events` on PATH
 * - load: a friendly user beside watches, slow clients and a hostile user
 * - rollouts: `TIPHYS_BENCH_ROLLOUTS` (500), beside the `rollouts-controller` on PATH
 * - workflows: `TIPHYS_BENCH_WORKFLOWS`, `TIPHYS_BENCH_NODES`, `TIPHYS_BENCH_CRONS`, beside the `workflow-controller` on PATH
 * - archive: `TIPHYS_BENCH_ARCHIVED` (1,000,000) archived workflows in SQLite, and in the databases of TIPHYS_TEST_POSTGRES and TIPHYS_TEST_MYSQL
 * - helm: charts of `--charts FOLDER` (as often as you like); kustomize; kustomize-small: without 2,000 objects, for which kustomize itself takes minutes
 * - sandbox: beside a real kube-apiserver
 * - soak: churn without a pause for `TIPHYS_BENCH_MINUTES` (30), with a plot
 * - web: the page in Chromium with 10,000 applications
 */
const applications = Number(process.env.TIPHYS_BENCH_APPLICATIONS ?? Number.NaN);
const { values, positionals: names } = parseArgs({
  args: process.argv.slice(2),
  options: { charts: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const benches: Readonly<Record<string, () => Promise<string>>> = {
  start: () => benchStart(),
  fleet: () => benchFleet('kube', applications || 1000),
  'fleet-kustomizations': () => benchFleet('kube', applications || 1000, 'kustomization'),
  'fleet-charts': () => benchFleet('kube', applications || 1000, 'chart'),
  'fleet-sandbox': () => benchFleet('sandbox', applications || 1000),
  clusters: () =>
    benchClusters({
      applications: applications || 2000,
      clusters: Number(process.env.TIPHYS_BENCH_CLUSTERS ?? 50),
      repositories: Number(process.env.TIPHYS_BENCH_REPOSITORIES ?? 200),
    }),
  requests: () => benchRequests(applications || 200),
  argocd: () => benchArgocd(applications || 200),
  'big-cluster': () => benchBigCluster(Number(process.env.TIPHYS_BENCH_OBJECTS ?? 100_000)),
  monorepo: () =>
    benchMonorepo({
      files: Number(process.env.TIPHYS_BENCH_FILES ?? 1_000_000),
      pushes: Number(process.env.TIPHYS_BENCH_PUSHES ?? 3600),
    }),
  events: () => benchEvents([1, 100, 1000], Number(process.env.TIPHYS_BENCH_SECRETS ?? 20_000)),
  load: () => benchLoad(),
  rollouts: () => benchRollouts(Number(process.env.TIPHYS_BENCH_ROLLOUTS ?? 500)),
  workflows: () =>
    benchWorkflows({
      workflows: Number(process.env.TIPHYS_BENCH_WORKFLOWS ?? 1000),
      nodes: Number(process.env.TIPHYS_BENCH_NODES ?? 5000),
      crons: Number(process.env.TIPHYS_BENCH_CRONS ?? 500),
    }),
  archive: () => benchArchive(Number(process.env.TIPHYS_BENCH_ARCHIVED ?? 1_000_000)),
  helm: () => benchHelm(values.charts),
  kustomize: () => benchKustomize(),
  'kustomize-small': () => benchKustomize('small'),
  sandbox: () => benchSandbox(),
  soak: () =>
    benchSoak({
      applications: applications || 100,
      minutes: Number(process.env.TIPHYS_BENCH_MINUTES ?? 30),
      plot: join(import.meta.dirname, '..', '.tiphys', 'soak.svg'),
    }),
  web: () => benchWeb(applications || 10_000),
};

for (const name of names.length > 0 ? names : Object.keys(benches).filter((key) => key !== 'kustomize-small')) {
  const bench = benches[name];
  if (!bench) {
    process.stderr.write(`There is no bench ${name}: choose from ${Object.keys(benches).join(', ')}\n`);
    process.exitCode = 1;
    continue;
  }
  process.stdout.write(`${await bench()}\n\n`);
}
process.exit();
