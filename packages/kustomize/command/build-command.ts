import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import { FlagError, type FlagTable, type ParsedFlags, parseFlags, pullArchive } from '@tiphys/helm';
import { type BuildRequest, type Built, buildKustomization } from '../build.ts';
import { GoError } from '../go-error.ts';
import { KustomizeError } from '../kustomize-error.ts';
import type { Remotes } from '../load/loader.ts';
import { localTree } from '../load/local-tree.ts';
import { parseRepoSpec } from '../load/repo-spec.ts';
import type { ProgramOptions } from '../plugin/external-plugin.ts';
import type { Resource } from '../resource/resource.ts';
import { effectiveNamespace } from '../resource/resource-id.ts';
import type { ChartSource } from '../target/build-context.ts';

export interface KustomizeSurroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Folder against which paths count. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For remote bases; they are refused without. */
  readonly remotes?: Remotes;
}

const flags: FlagTable = {
  output: { type: 'text', short: 'o' },
  'load-restrictor': { type: 'text' },
  reorder: { type: 'text', deprecated: "use the new 'sortOptions' field in kustomization.yaml instead." },
  'enable-managedby-label': {
    type: 'bool',
    deprecated:
      'The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.',
  },
  'enable-helm': { type: 'bool' },
  'helm-command': {
    type: 'text',
    refused: 'Charts are rendered in process, no program is run: leave the flag out',
  },
  'helm-api-versions': { type: 'list' },
  'helm-kube-version': { type: 'text' },
  'helm-debug': { type: 'ignored-bool' },
  'enable-alpha-plugins': { type: 'bool' },
  'enable-exec': { type: 'bool' },
  network: { type: 'bool' },
  'network-name': { type: 'ignored-text' },
  mount: { type: 'list' },
  env: { type: 'list', short: 'e' },
  'as-current-user': { type: 'bool' },
  'stack-trace': { type: 'ignored-bool' },
  help: { type: 'bool', short: 'h' },
};

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
      --load-restrictor string          LoadRestrictionsNone lets kustomizations load files from outside their root
      --mount stringArray               Mounts of functions in containers
      --network                         Give the network to functions in containers that ask for it
  -o, --output string                   Write to this file, or one file a resource into this folder
`;

/** Runs `kustomize build` with its flags and words; resolves to its exit code. */
export async function buildCommand(argv: readonly string[], surroundings: KustomizeSurroundings): Promise<number> {
  try {
    const parsed = parseFlags(argv, flags);
    for (const line of parsed.deprecations) surroundings.error(line);
    if (parsed.flag('help')) {
      surroundings.out(usage);
      return 0;
    }
    const built = await buildKustomization(requestOf(parsed, surroundings));
    write(built, parsed.text('output'), surroundings);
    return 0;
  } catch (error) {
    return report(error, surroundings);
  }
}

function requestOf(parsed: ParsedFlags, surroundings: KustomizeSurroundings): BuildRequest {
  const { args } = parsed;
  if (args.length > 1) throw new FlagError('specify one path to kustomization.yaml');
  const restrictor = parsed.text('load-restrictor') || 'LoadRestrictionsRootOnly';
  legal('load-restrictor', restrictor, ['LoadRestrictionsRootOnly', 'LoadRestrictionsNone']);
  const reorder = parsed.text('reorder') || 'legacy';
  legal('reorder', reorder, ['legacy', 'none']);
  const path = args[0] ?? '.';
  const remote = !('problem' in parseRepoSpec(path));
  const { remotes, env, workdir } = surroundings;
  const kubeVersion = parsed.text('helm-kube-version');
  return {
    tree: localTree(),
    path: remote ? path : resolve(workdir, path),
    shownPath: path,
    enableHelm: parsed.flag('enable-helm') || parsed.flag('enable-alpha-plugins'),
    helm: {
      apiVersions: parsed.list('helm-api-versions'),
      pull: (chart) => pullChart(chart, surroundings),
      ...(kubeVersion ? { kubeVersion } : {}),
    },
    loadRestrictions: restrictor === 'LoadRestrictionsNone' ? 'none' : 'rootOnly',
    managedByLabel:
      parsed.flag('enable-managedby-label') || /^(1|t|true)$/i.test(env.KUSTOMIZE_ENABLE_MANAGEDBY_LABEL ?? ''),
    warn: (line) => surroundings.error(`${line}\n`),
    ...(parsed.flag('enable-alpha-plugins') ? { programs: programsOf(parsed, env) } : {}),
    ...(parsed.has('reorder') ? { reorder: reorder as 'legacy' | 'none' } : {}),
    ...(remotes ? { remotes } : {}),
  };
}

/** Programs get the whole environment of the command, as kustomize has it. */
function programsOf(parsed: ParsedFlags, env: KustomizeSurroundings['env']): ProgramOptions {
  return {
    exec: parsed.flag('enable-exec'),
    network: parsed.flag('network'),
    mounts: parsed.list('mount'),
    env: parsed.list('env'),
    asCurrentUser: parsed.flag('as-current-user'),
    environment: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1])),
  };
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

function legal(flag: string, value: string, values: readonly string[]): void {
  if (!values.includes(value))
    throw new FlagError(`illegal flag value --${flag} ${value}; legal values: [${values.join(' ')}]`);
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
