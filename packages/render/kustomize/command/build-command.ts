import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import { FlagError, pullArchive } from '@tiphys/helm';
import { type BuildRequest, type Built, buildKustomization } from '../build/build.ts';
import type { ChartSource } from '../context/build-context.ts';
import { GoError } from '../failure/go-error.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import type { Remotes } from '../load/loader.ts';
import { localTree } from '../load/local-tree.ts';
import { parseRepoSpec } from '../load/repo-spec.ts';
import type { Resource } from '../resource/resource.ts';
import { effectiveNamespace } from '../resource/resource-id.ts';
import { type BuildFlags, parseBuildFlags } from './build-flags.ts';
import { explainResources } from './explain.ts';

export interface KustomizeSurroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Folder against which paths count. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For remote bases; they are refused without. */
  readonly remotes?: Remotes;
}

const usage = `Build a set of KRM resources using a 'kustomization.yaml' file, as kustomize does, in process.

Usage:
  tiphys kustomize build DIR [flags]

Flags:
      --as-current-user                 Run functions in containers as the current user
      --enable-alpha-plugins            Let functions in containers, and programs of the plugin folder, run
      --enable-exec                     Let functions that are programs run
  -e, --env stringArray                 Variables for functions
      --enable-helm                     Render helmCharts, with our own Helm
      --helm-api-versions stringArray   API versions for charts' Capabilities.APIVersions
      --helm-kube-version string        Kubernetes version for charts' Capabilities.KubeVersion
      --explain                         Print for every field which file, patch or entry wrote it; -o json for programs
      --load-restrictor string          LoadRestrictionsNone lets kustomizations load files from outside their root
      --mount stringArray               Mounts of functions in containers
      --network                         Give the network to functions in containers that ask for it
  -o, --output string                   Write to this file, or one file a resource into this folder
`;

/** Runs `kustomize build` with its flags and words; resolves to its exit code. */
export async function buildCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  try {
    const flags = parseBuildFlags(argv);
    for (const line of flags.deprecations) surroundings.error(line);
    if (flags.help) {
      surroundings.out(usage);
      return 0;
    }
    const built = await buildKustomization(requestOf(flags, surroundings));
    if (flags.explain) surroundings.out(explanation(built, flags.output, surroundings));
    else write(built, flags.output, surroundings);
    return 0;
  } catch (error) {
    return report(error, surroundings);
  }
}

/** With `--explain`, `--output` is a format, as for charts. */
function explanation(built: Built, output: string, { workdir }: KustomizeSurroundings): string {
  if (output !== '' && output !== 'json' && output !== 'text')
    throw new FlagError(`illegal flag value --output ${output}; with --explain legal values: [text json]`);
  const show = (file: string): string => relative(workdir, `/${file}`) || '.';
  return explainResources(built.resources, { format: output === 'json' ? 'json' : 'text', show });
}

function requestOf(flags: BuildFlags, surroundings: KustomizeSurroundings): BuildRequest {
  const { path, loadRestrictions, enableHelm, helmKubeVersion: kubeVersion, reorder, programs } = flags;
  const remote = !('problem' in parseRepoSpec(path));
  const { remotes, env, workdir } = surroundings;
  return {
    tree: localTree(),
    path: remote ? path : resolve(workdir, path),
    shownPath: path,
    enableHelm,
    helm: {
      apiVersions: flags.helmApiVersions,
      pull: (chart) => pullChart(chart, surroundings),
      ...(kubeVersion ? { kubeVersion } : {}),
    },
    loadRestrictions,
    managedByLabel: flags.managedByLabel || /^(1|t|true)$/i.test(env.KUSTOMIZE_ENABLE_MANAGEDBY_LABEL ?? ''),
    warn: (line) => surroundings.error(`${line}\n`),
    // Programs get the whole environment of the command, as kustomize has it.
    ...(programs ? { programs: { ...programs, environment: present(env) } } : {}),
    ...(reorder ? { reorder } : {}),
    ...(remotes ? { remotes } : {}),
  };
}

function present(env: KustomizeSurroundings['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** As kustomize calls `helm pull`: with a configuration of its own, if the kustomization has one. */
function pullChart(chart: ChartSource, { env, error, workdir }: KustomizeSurroundings): Promise<Uint8Array> {
  const { configHome } = chart;
  return pullArchive(chart, {
    error,
    workdir,
    env: configHome ? { ...env, HELM_CONFIG_HOME: resolve(workdir, configHome) } : env,
  });
}

function write(built: Built, output: string, surroundings: KustomizeSurroundings): void {
  if (output === '') {
    surroundings.out(built.yaml);
    return;
  }
  const path = resolve(surroundings.workdir, output);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    writing(output, () => writeFileSync(path, built.yaml));
    return;
  }
  const namespaces = new Set(
    built.resources.filter(({ id }) => !id.clusterScoped).map(({ id }) => effectiveNamespace(id)),
  );
  mkdirSync(path, { recursive: true });
  for (const resource of built.resources) {
    const { id } = resource;
    const prefix = namespaces.size > 1 && !id.clusterScoped ? `${effectiveNamespace(id).toLowerCase()}_` : '';
    const file = join(path, prefix + fileName(resource));
    writing(file, () => writeFileSync(file, resource.asYaml()));
  }
}

/** Such as `apps_v1_deployment_web.yaml`. */
function fileName({ gvk: { group, version, kind }, name }: Resource): string {
  return `${[group, version, kind, name]
    .filter((part) => part !== '')
    .join('_')
    .toLowerCase()}.yaml`;
}

function writing(file: string, body: () => void): void {
  try {
    body();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'no such file or directory' : code === 'EACCES' ? 'permission denied' : undefined;
    if (problem === undefined) throw error;
    throw new KustomizeError(
      new GoError(`open ${file}: ${problem}`, { place: { file }, remedies: ['Choose another output'] }),
    );
  }
}

/** Prints a failure: Kustomize's words first, then what we know about it. */
export function report(error: unknown, { error: print }: KustomizeSurroundings): number {
  if (error instanceof FlagError) {
    print(`Error: ${error.message}\n`);
    if (error.remedy) print(`${error.remedy}\n`);
    return 1;
  }
  if (!(error instanceof DiagnosisError)) throw error;
  print(`Error: ${error instanceof KustomizeError ? error.goMessage : error.diagnosis.message}\n`);
  print(`\n${explainDiagnosis(error.diagnosis)}\n`);
  return 1;
}
