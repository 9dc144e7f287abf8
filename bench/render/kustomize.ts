import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildKustomization, localTree } from '@tiphys/kustomize';
import { findKustomize } from '../../scripts/parity/kustomize-assets.ts';
import { markdownTable } from '../table.ts';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'tiphys-bench-kustomize-')));

function write(path: string, text: string): void {
  mkdirSync(join(scratch, path, '..'), { recursive: true });
  writeFileSync(join(scratch, path), text);
}

const objects = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      serviceAccountName: ${name}
      containers:
      - name: main
        image: registry.example.com/${name}:1.0
        envFrom: [{configMapRef: {name: ${name}}}]
        ports: [{containerPort: 8080}]
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: ${name}}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {a: b}
`;

const overlay = `namespace: prod
namePrefix: p-
labels: [{pairs: {env: prod}, includeSelectors: true}]
images: [{name: registry.example.com/app0, newTag: "2"}]
patches:
- target: {kind: Deployment}
  patch: |-
    - {op: replace, path: /spec/replicas, value: 3}
- target: {kind: Deployment, name: app0}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any}
    spec: {template: {spec: {containers: [{name: main, resources: {limits: {cpu: 200m}}}]}}}
`;

function kustomization(folder: string, applications: number): string {
  const names = Array.from({ length: applications }, (_, i) => `app${i}`);
  for (const name of names) write(`${folder}/base/${name}.yaml`, objects(name));
  write(`${folder}/base/kustomization.yaml`, `resources:\n${names.map((name) => `- ${name}.yaml\n`).join('')}`);
  write(`${folder}/overlay/kustomization.yaml`, `resources: [../base]\n${overlay}`);
  return join(scratch, folder, 'overlay');
}

async function milliseconds(body: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

async function best(rounds: number, body: () => Promise<unknown> | unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await milliseconds(body));
  return least;
}

/** Path of our program over Kustomize's packages; undefined without Go. */
function goProgram(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined;
  const binary = join(scratch, 'kustomize-go');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(import.meta.dirname, 'kustomize-go'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return binary;
}

const tree = localTree();
const buildAll = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await buildKustomization({ tree, path });
};

/**
 * Building kustomizations, warm in this process, against `kustomize build` by fork and against Kustomize's Go packages warm
 * in one Go process (built here, if there is Go): fifty small overlays, and one overlay over a base of 2,000 objects, for
 * which Kustomize takes minutes. `size` picks one of the two.
 */
export async function benchKustomize(size?: string): Promise<string> {
  try {
    const sets = [
      {
        size: 'small',
        name: '50 small overlays',
        paths: Array.from({ length: 50 }, (_, i) => kustomization(`small${i}`, 2)),
        rounds: 20,
      },
      { size: 'large', name: 'one of 2,000 objects', paths: [kustomization('large', 500)], rounds: 5 },
    ].filter((set) => size === undefined || set.size === size);
    const kustomize = await findKustomize();
    const go = goProgram();
    const rows: string[][] = [];
    for (const set of sets) rows.push(await measure(set, kustomize, go));
    return markdownTable(
      ['kustomizations', 'tiphys, warm', 'kustomize build, a fork each', "Kustomize's Go packages, warm"],
      rows,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function measure(
  set: { readonly size: string; readonly name: string; readonly paths: readonly string[]; readonly rounds: number },
  kustomize: string | undefined,
  go: string | undefined,
): Promise<string[]> {
  const { size, name, paths, rounds } = set;
  const own = await best(rounds, () => buildAll(paths));
  const fork =
    kustomize === undefined
      ? undefined
      : await milliseconds(() => {
          for (const path of paths) spawnSync(kustomize, ['build', path], { maxBuffer: 1e9 });
        });
  const warm =
    go === undefined
      ? undefined
      : Number(
          execFileSync(go, [size === 'large' ? '1' : '5', ...paths], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        );
  const cell = (value: number | undefined) =>
    value === undefined ? 'not here' : `${value.toFixed(0)} ms (× ${(value / own).toFixed(1)})`;
  return [name, `${own.toFixed(0)} ms`, cell(fork), cell(warm)];
}
