import { userInfo } from 'node:os';
import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import { joinPath } from '../load/file-tree.ts';
import type { Programs } from '../program/programs.ts';
import { type ProgramResult, runProgram } from '../program/run-program.ts';
import { resourcesOf } from '../resource/read-resources.ts';
import type { Resource } from '../resource/resource.ts';
import { encodeNode } from '../tree/encode-node.ts';
import { Node, stringTag } from '../tree/node.ts';
import { readTree, readTrees } from '../tree/read-tree.ts';
import { type ExternalPlugin, hashAnnotation, readOutput } from './external-plugin.ts';
import type { FunctionSpec, StorageMount } from './function-spec.ts';
import type { PluginConfig } from './plugin-config.ts';

const domain = 'internal.config.kubernetes.io';
const pathAnnotations = [`${domain}/path`, 'config.kubernetes.io/path'] as const;
const indexAnnotations = ['config.kubernetes.io/index', `${domain}/index`];
const idAnnotations = [`${domain}/id`, 'config.k8s.io/id'];
const migrationAnnotation = `${domain}/annotations-migration-resource-id`;

/** A KRM function: gets a ResourceList and gives one, as kyaml's runtime has it. */
export function functionPlugin(spec: FunctionSpec, config: PluginConfig, programs: Programs): ExternalPlugin {
  const { resource } = config;
  return {
    name: `api: ${resource.apiVersion}, kind: ${resource.kind}, name: ${resource.name}`,
    async run(resources) {
      let output: Node[];
      try {
        output = await execute(spec, config, programs, resources);
      } catch (error) {
        // A transformer's message ends with the output, which there is none of.
        throw resources === undefined
          ? wrapped(error, "couldn't execute function")
          : reworded(error, `couldn't execute function: ${goMessageOf(error)} `);
      }
      const hashed =
        resources === undefined &&
        output.every((node) => node.position !== undefined) &&
        output.some((node) => annotationOf(node, hashAnnotation) !== undefined);
      // Kustomize writes what it got and reads that again: hashes depend on where all stands then.
      if (hashed) return readOutput(output.map(encodeNode).join('---\n'), config);
      for (const node of output) node.position = undefined;
      return resourcesOf(output, config.context.scopes);
    },
  };
}

async function execute(
  spec: FunctionSpec,
  config: PluginConfig,
  programs: Programs,
  resources: readonly Resource[] | undefined,
): Promise<Node[]> {
  const { stamp } = config;
  const functionConfig = readTree(config.resource.asYaml(), stamp.origin) as Node;
  annotate(functionConfig, 'config.kubernetes.io/local-config', 'true');
  const texts = resources ? resources.map((resource) => resource.asYaml()) : [encodeNode(functionConfig)];
  const input = texts.flatMap((text, index) => readInput(text, index, config));
  const run = await runnerOf(spec, config, programs);
  const output = run ? await filter(input, functionConfig, run, config) : input;
  for (const node of output) for (const key of indexAnnotations) clearAnnotation(node, key);
  return output;
}

function readInput(text: string, index: number, config: PluginConfig): Node[] {
  const node = readTree(text, config.stamp.origin);
  if (node === undefined) return [];
  for (const key of indexAnnotations) annotate(node, key, String(index));
  return [node];
}

type Runner = (input: string) => Promise<ProgramResult>;

/** Runs the function on what lies in its scope. */
async function filter(
  nodes: readonly Node[],
  functionConfig: Node,
  run: Runner,
  config: PluginConfig,
): Promise<Node[]> {
  for (const [i, node] of nodes.entries()) annotate(node, migrationAnnotation, String(i));
  const folder = scopeOf(functionConfig);
  const inScope = (node: Node): boolean => folder === '' || folder === '.' || (scopeOf(node) ?? '').startsWith(folder);
  const input = nodes.filter(inScope);
  const saved = nodes.filter((node) => !inScope(node));
  for (const [i, node] of input.entries()) for (const key of idAnnotations) annotate(node, key, String(i + 1));
  const { output, error, failed } = await run(encodeNode(resourceList(input, functionConfig)));
  if (error !== '') for (const line of error.replace(/\n$/, '').split('\n')) config.context.warn(line);
  const made = readTrees(output, config.stamp.origin, true);
  if (failed !== undefined)
    throw new GoError(failed, {
      evidence: { 'standard error': error.slice(-2000) || undefined },
      remedies: ['Look at what the function says, and at its configuration'],
    });
  for (const node of made) {
    node.stamped(config.stamp.origin, config.stamp.line);
    for (const key of [...idAnnotations, migrationAnnotation]) clearAnnotation(node, key);
    const path =
      annotationOf(node, pathAnnotations[0]) ?? annotationOf(node, pathAnnotations[1]) ?? defaultPath(node, folder);
    for (const key of pathAnnotations) annotate(node, key, path);
  }
  for (const node of saved) clearAnnotation(node, migrationAnnotation);
  return [...made, ...saved];
}

function resourceList(items: readonly Node[], functionConfig: Node): Node {
  const list = Node.map();
  list.append('apiVersion', Node.scalar('config.kubernetes.io/v1'));
  list.append('kind', Node.scalar('ResourceList'));
  list.append('items', Node.list([...items]));
  list.append('functionConfig', functionConfig);
  return list;
}

/** The folder that a function or resource counts as being in: that of its path annotation. */
function scopeOf(node: Node): string {
  const path = annotationOf(node, pathAnnotations[0]) ?? annotationOf(node, pathAnnotations[1]);
  if (path === undefined) return '';
  const folder = joinPath('/', `${path}/..`).slice(1) || '.';
  return /(^|\/)functions$/.test(folder) ? joinPath('/', `${folder}/..`).slice(1) || '.' : folder;
}

function defaultPath(node: Node, folder: string): string {
  const metadata = node.get('metadata');
  const file = `${(node.get('kind')?.value ?? '').toLowerCase()}_${metadata?.get('name')?.value ?? ''}.yaml`;
  return joinPath('/', `${folder}/${metadata?.get('namespace')?.value ?? ''}/${file}`).slice(1);
}

function annotationOf(node: Node, key: string): string | undefined {
  return node.get('metadata')?.get('annotations')?.get(key)?.value;
}

function annotate(node: Node, key: string, value: string): void {
  let metadata = node.get('metadata');
  if (metadata?.kind !== 'map') {
    metadata = Node.map();
    node.clear('metadata');
    node.append('metadata', metadata);
  }
  let annotations = metadata.get('annotations');
  if (annotations?.kind !== 'map') {
    annotations = Node.map();
    metadata.clear('annotations');
    metadata.append('annotations', annotations);
  }
  const text = new Node('scalar', value, stringTag, 'single');
  text.origin = node.origin;
  text.line = node.line;
  const old = annotations.get(key);
  if (old) old.become(text);
  else annotations.append(key, text);
}

function clearAnnotation(node: Node, key: string): void {
  const metadata = node.get('metadata');
  const annotations = metadata?.get('annotations');
  annotations?.clear(key);
  if (annotations?.kind === 'map' && annotations.content.length === 0) metadata?.clear('annotations');
}

/** Undefined if the function is not to be run: then all stays as it is, as in Kustomize. */
async function runnerOf(
  { container = {}, exec = {} }: FunctionSpec,
  { loader }: PluginConfig,
  programs: Programs,
): Promise<Runner | undefined> {
  const { environment, limits, signal, folders, run = runProgram } = programs;
  if (container.network && !programs.network)
    throw new GoError('network required but not enabled with --network', { remedies: ['Build with --network'] });
  const folder = await folders.folderOf(loader.tree, loader.root);
  const more = { folder, ...(limits ? { limits } : {}), ...(signal ? { signal } : {}) };
  if (container.image) {
    const mounts = [...(container.mounts ?? []), ...programs.mounts.map(mountOf)];
    const user = programs.asCurrentUser ? `${userInfo().uid}:${userInfo().gid}` : 'nobody';
    const args = [
      ...['run', '--rm', '-i', '-a', 'STDIN', '-a', 'STDOUT', '-a', 'STDERR'],
      ...['--network', container.network ? 'host' : 'none', '--user', user, '--security-opt=no-new-privileges'],
      ...mounts.flatMap((mount) => ['--mount', mountText(mount, folder)]),
      ...containerEnv(container.envs ?? [], programs.env),
      container.image,
    ];
    return (input) => docker(() => run({ path: 'docker', args, env: environment, input, ...more }));
  }
  const { path } = exec;
  if (!programs.exec || !path) return undefined;
  if (folder === '/') throw new GoError("root working directory '/' not allowed");
  const env = { ...environment, ...execEnv([...(exec.envs ?? []), ...programs.env]) };
  return (input) => run({ path, args: exec.args ?? [], env, input, ...more });
}

async function docker(started: () => Promise<ProgramResult>): Promise<ProgramResult> {
  try {
    return await started();
  } catch (error) {
    if (error instanceof GoError)
      error.remedies.push('Functions in containers need docker where the build runs: install it, or use a program');
    throw error;
  }
}

function mountOf(text: string): StorageMount {
  const options = new Map(
    text.split(',').flatMap((option) => {
      const at = option.indexOf('=');
      return at < 0 ? [] : [[option.slice(0, at), option.slice(at + 1)] as const];
    }),
  );
  return {
    type: options.get('type') ?? '',
    src: options.get('source') ?? options.get('src') ?? '',
    dst: options.get('target') ?? options.get('dst') ?? '',
    rw: options.get('rw') === 'true',
  };
}

function mountText({ type = '', src = '', dst = '', rw = false }: StorageMount, folder: string): string {
  const source = src.startsWith('/') ? src : joinPath(folder, src);
  return `type=${type},source=${source},target=${dst}${rw ? '' : ',readonly'}`;
}

/** Flags of docker: values sorted by name, then the variables that are passed on. */
function containerEnv(declared: readonly string[], given: readonly string[]): string[] {
  const values = new Map([
    ['LOG_TO_STDERR', 'true'],
    ['STRUCTURED_RESULTS', 'true'],
  ]);
  const exported = new Set<string>();
  for (const entry of [...declared, ...given]) {
    const at = entry.indexOf('=');
    if (at < 0) exported.add(entry);
    else values.set(entry.slice(0, at), entry.slice(at + 1));
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...sorted.flatMap(([key, value]) => ['-e', `${key}=${value}`]),
    ...[...exported].flatMap((key) => ['-e', key]),
  ];
}

/** As Kustomize reads them: what has not exactly one `=` is left out. */
function execEnv(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(entries.map((entry) => entry.split('=')).filter((parts) => parts.length === 2)) as Record<
    string,
    string
  >;
}
