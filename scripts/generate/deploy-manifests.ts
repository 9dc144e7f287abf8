import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture.ts';
import { command } from '../image/command.ts';

/** An installation that `deploy/` has as manifests, and how the chart is asked for it. */
interface Installation {
  readonly folder: string;
  readonly title: string;
  readonly set: readonly string[];
  /** Folders of definitions, relative to `api/crds`. */
  readonly definitions: readonly string[];
}

const argocdAlone = ['controller', 'server', 'notifications'];
const only = (...names: string[]) => [
  ...argocdAlone.map((each) => `${each}.enabled=false`),
  ...names.map((each) => `${each}.enabled=true`),
  'config=false',
];

const installations: readonly Installation[] = [
  {
    folder: 'base',
    title: "Argo CD's part, cluster-wide, in the names of Argo CD's own manifests",
    set: [],
    definitions: ['.'],
  },
  {
    folder: 'ha',
    title: 'As base, with two shards and two API servers',
    set: ['controller.replicas=2', 'server.replicas=2', 'notifications.replicas=2'],
    definitions: ['.'],
  },
  {
    folder: 'namespace-scoped',
    title:
      'As base, with rights in its own namespace alone; it delivers to clusters and namespaces that cluster Secrets name',
    set: ['clusterScoped=false'],
    definitions: [],
  },
  {
    folder: 'core',
    title: 'Without API, page and notifications: for those who use Kubernetes alone',
    set: ['server.enabled=false', 'notifications.enabled=false'],
    definitions: ['.'],
  },
  { folder: 'rollouts', title: "Argo Rollouts' part", set: only('rollouts'), definitions: [] },
  { folder: 'workflows', title: "Argo Workflows' part", set: only('workflows', 'workflowsServer'), definitions: [] },
  { folder: 'events', title: "Argo Events' part", set: only('events'), definitions: [] },
  {
    folder: 'monitoring',
    title: 'Alerts and a dashboard, for the Prometheus operator and Grafana',
    set: [...argocdAlone.map((each) => `${each}.enabled=false`), 'config=false', 'alerts=true', 'dashboards=true'],
    definitions: [],
  },
];

/** Files of `deploy/` that come from the chart, by path, as the chart has them now. */
export function deployManifests(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { folder, title, set, definitions } of installations) {
    const text = tiphys('helm', 'template', 'tiphys', 'deploy/chart/tiphys', '-n', 'argocd', '--set', set.join(','));
    files.set(`deploy/${folder}/tiphys.yaml`, `# Written by npm run generate from deploy/chart/tiphys.\n${text}`);
    const resources = [...definitions.map((each) => join('../../api/crds', each)), 'tiphys.yaml'];
    const lines = [
      `# ${title}. Written by npm run generate.`,
      `#   kubectl apply --server-side -k deploy/${folder}`,
      'apiVersion: kustomize.config.k8s.io/v1beta1',
      'kind: Kustomization',
      'namespace: argocd',
      'resources:',
      ...resources.map((each) => `  - ${each}`),
    ];
    files.set(`deploy/${folder}/kustomization.yaml`, `${lines.join('\n')}\n`);
  }
  return files;
}

/** Writes them. */
export function writeDeployManifests(): void {
  for (const [file, text] of deployManifests()) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

/** What differs from the chart, as `file:line: what is wrong`. */
export function staleManifests(): string[] {
  return [...deployManifests()].flatMap(([file, text]) =>
    readFileSync(join(root, file), 'utf8') === text
      ? []
      : [`${file}:1: is not what deploy/chart/tiphys renders: run npm run generate`],
  );
}

/** Runs our own command line; tests that are packed give the packed one. */
export function tiphys(...args: string[]): string {
  const main = process.env.TIPHYS_TEST_PROGRAM ?? join(root, 'packages', 'serve', 'cli', 'main.ts');
  return command(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    cwd: root,
    env: { TIPHYS_WORKDIR: root },
  });
}
