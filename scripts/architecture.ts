import { globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** A floor of the house: a folder of `packages/` (or `api/`), with its packages from the bottom up. */
export interface Floor {
  readonly name: string;
  /** One line for docs/architecture.md. */
  readonly job: string;
  readonly packages: Readonly<Record<string, string>>;
}

/**
 * The floors, bottom first, and each one's packages, bottom first. A package may import what stands before it, through its
 * `index.ts`; tests may import anything. docs/architecture.md is written from this table, and `npm run check` holds the code
 * against it.
 */
export const floors: readonly Floor[] = [
  {
    name: 'foundation',
    job: 'small leaves that know nothing of delivery',
    packages: {
      diagnosis: 'causes, evidence, remedies: the one way to say what went wrong',
      files: 'folders and files that their owner alone may read',
      go: 'texts as Go reads and writes them: durations, quotes',
      glob: 'globs as Go and gobwas match them',
      outbound: 'where connections may go that a source or a redirect asks for',
      inbound: 'what a connection of a stranger may cost a server',
      der: 'certificates in DER, written and read in bounds',
      yaml: 'YAML, byte for byte as the Go tools',
      template: 'Go templates with Sprig',
      expr: 'expr-lang expressions in bounds, for triggers, conditions and filters',
      jq: 'jq in bounds, for what is ignored and what is transformed',
      lua: 'Lua 5.1 in bounds, for health checks and actions',
      kubernetes: 'client, informers, work queue, leases, schema tables, patches',
      sql: 'statements for SQLite and PostgreSQL',
      controller:
        'the skeleton of every controller family: informers, queue, steps, one exit; shards, events, measures',
      api: 'the public contract: CRDs, protobuf, types (the folder `api/`)',
    },
  },
  {
    name: 'sources',
    job: 'what speaks to the hosts of sources',
    packages: {
      git: 'mirrors, credentials, revisions, reading objects without a work tree',
      registry: 'Helm repositories, OCI registries, provenance',
    },
  },
  {
    name: 'render',
    job: "an Application's sources to manifests",
    packages: {
      helm: 'Helm charts, byte for byte as Helm',
      kustomize: 'kustomizations, byte for byte as kustomize',
      jsonnet: 'Jsonnet',
      plugin: 'config-management plugins',
      source: 'sources to manifests, with the set of what was read and where each field comes from',
    },
  },
  {
    name: 'deliver',
    job: 'manifests to the cluster',
    packages: {
      history: 'the append-only record of decisions: what changed, when, and who asked for it',
      preview: 'what two revisions make differently of manifests, as a diff and as Markdown',
      engine: 'cluster cache, compare, health, sync',
      hydrator: 'what the source hydrator writes: manifests of dry sources, committed to the branches that are synced',
      metrics: "Prometheus metrics by Argo CD's names",
      applications: 'the controllers of Application and AppProject',
      'self-management': 'new versions of Tiphys: proved beside the running one, watched, taken back',
      upgrades: 'what an upgrade of Kubernetes removes, and who still uses it',
      applicationsets: 'Applications made of templates: generators, plans, progressive syncs',
    },
  },
  {
    name: 'progress',
    job: 'progressive delivery',
    packages: {
      'step-plugins': 'plugins of Rollouts: go-plugin, yamux, net/rpc, gob',
      analysis: 'AnalysisTemplates and AnalysisRuns: measurements, providers, verdicts',
      traffic: 'the traffic routers of Rollouts',
      'rollout-metrics': "Prometheus metrics by Argo Rollouts' names",
      rollouts: 'Rollouts and Experiments: strategies, ReplicaSets, services, traffic, status',
    },
  },
  {
    name: 'automate',
    job: 'what happens by itself',
    packages: {
      notifications:
        'triggers, templates, subscriptions and the services that are told; each notification exactly once',
      'workflow-database': 'archive, offloaded nodes and locks of workflows in PostgreSQL, MySQL and SQLite',
      artifacts: 'artifacts of workflows in every kind of store: read, written, packed, removed',
      workflows: 'Argo Workflows: the state machine, its controllers, and what people do with workflows',
      'workflow-executor':
        "the pod's side of workflows: artifacts, outputs, resources, HTTP; and the wrapper of users' commands",
      events: 'event sources, the bus, sensors and their triggers',
    },
  },
  {
    name: 'sandbox',
    job: 'the embedded cluster',
    packages: {
      store: 'objects with one revision counter in a log that SQLite keeps and watchers re-read',
      apimachinery: 'what a resource is: names, metadata, field errors, statuses, strategies, recorded schemas',
      cel: "CEL: compiled, type-checked, its cost bounded, with Kubernetes' libraries",
      pki: 'certificates and signing requests, written and read',
      apiextensions: 'structural schemas of custom resources: validation, CEL rules, columns, OpenAPI',
      'admission-rules': 'which webhooks and policies an object meets, and what their expressions say',
      kinds: 'what is said of each built-in kind: defaults, validation, cells of tables, feature gates',
      apiserver: 'the API server: who asks, what they may, writes, lists, watches, admission, aggregation',
      'kube-controllers': 'the controllers of the built-in kinds: clients like any other',
      nodes: 'simulated nodes, scheduler and kubelets: clients like any other',
      'process-runtime': 'pods as processes of this machine',
      sandbox: 'a Kubernetes of our own in one process: puts the parts together',
    },
  },
  {
    name: 'serve',
    job: 'what users meet',
    packages: {
      webhooks: 'what Git hosts and registries announce',
      server: 'gRPC, gRPC-web, REST, sessions, RBAC',
      'workflow-server': "Argo Workflows' API: gRPC, REST, artifacts, webhooks",
      web: 'the web page; reaches the rest over HTTP alone',
      cli: 'the executable: composition roots and commands',
    },
  },
];

/** Packages from the bottom up. */
export const packageOrder: readonly string[] = floors.flatMap(({ packages }) => Object.keys(packages));

/** Folder of a package, relative to the root. */
export function packageFolder(name: string): string {
  if (name === 'api') return 'api';
  const floor = floors.find(({ packages }) => name in packages);
  if (!floor) throw new Error(`${name} is not a package of scripts/architecture.ts`);
  return `packages/${floor.name}/${name}`;
}

/** Package that a file of `api/` or `packages/` belongs to; undefined for other files. */
export function packageOf(file: string): string | undefined {
  const [top, , name] = file.split('/');
  if (top === 'api') return 'api';
  return top === 'packages' ? name : undefined;
}

/** Source files of all packages, relative to the root, without tests. */
export function sourceFiles(): string[] {
  return globSync(['api/**/*.ts', 'packages/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: (path) => /node_modules|dist/.test(path),
  }).filter((file) => !/\.test\.tsx?$|(^|\/)(testing|testdata|oracle)\//.test(file));
}
