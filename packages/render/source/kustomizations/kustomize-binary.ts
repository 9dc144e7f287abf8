import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { type FileTree, runProgram, writeTree } from '@tiphys/kustomize';
import { type JsonValue, parseYaml, printYaml } from '@tiphys/yaml';
import type { DesiredObject } from '../request/desired-object.ts';
import { kustomizeBinaryFailed, tooManyObjects } from '../request/diagnoses.ts';
import { parseRendered } from '../request/parse-manifest.ts';
import type { KustomizeInvocation } from '../threads/kustomize-invocation.ts';

export interface BinaryBuild {
  readonly tree: FileTree;
  readonly folder: string;
  readonly invocation: KustomizeInvocation;
  readonly components: readonly string[];
  /** Variables of the build environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly maxObjects: number;
  /** Milliseconds of each run. */
  readonly time: number;
  readonly signal?: AbortSignal;
}

const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Builds with a kustomize of another version: its own `edit` and `build`, in a copy of the repository of their own. */
export async function buildWithBinary(build: BinaryBuild): Promise<{ readonly objects: readonly DesiredObject[] }> {
  const { tree, folder, invocation, maxObjects } = build;
  const { binary } = invocation;
  if (!binary) throw new Error('a build without a program of its own');
  const temporary = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-'));
  try {
    const root = await writeTree(tree, join(temporary, 'repository'));
    const path = join(root, folder);
    const home = join(temporary, 'home');
    mkdirSync(home);
    const run = runner(build, binary, { root, home });
    for (const args of editCommands(build)) await run(path, args);
    addPatches(path, folder, invocation);
    if (build.components.length > 0) await run(path, ['edit', 'add', 'component', ...build.components]);
    const output = await run(root, ['build', path, ...binary.options]);
    const objects = [...parseRendered(output, folder, () => undefined)];
    if (objects.length <= maxObjects) return { objects };
    throw failure(tooManyObjects, {
      message: `The kustomization has more than ${maxObjects} objects`,
      place: { file: folder },
      remedies: ['Split the application'],
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The commands that upstream runs before the build, in its order. */
function editCommands({ invocation: { edits } }: BinaryBuild): string[][] {
  const {
    namePrefix,
    nameSuffix,
    images = [],
    replicas = [],
    labels,
    labelOptions = {},
    annotations,
    namespace,
  } = edits;
  const pairs = (map: ReadonlyMap<string, string>): string[] => [...map].map(([key, value]) => `${key}:${value}`);
  const commands: string[][] = [];
  if (namePrefix) commands.push(['edit', 'set', 'nameprefix', '--', namePrefix]);
  if (nameSuffix) commands.push(['edit', 'set', 'namesuffix', '--', nameSuffix]);
  if (images.length > 0) commands.push(['edit', 'set', 'image', ...images]);
  if (replicas.length > 0)
    commands.push(['edit', 'set', 'replicas', ...replicas.map(({ name, count }) => `${name}=${count}`)]);
  if (labels?.size)
    commands.push([
      ...['edit', 'add', 'label'],
      ...(labelOptions.force ? ['--force'] : []),
      ...(labelOptions.withoutSelector ? ['--without-selector'] : []),
      ...(labelOptions.includeTemplates ? ['--include-templates'] : []),
      ...pairs(labels),
    ]);
  if (annotations?.size)
    commands.push(['edit', 'add', 'annotation', ...(edits.forceAnnotations ? ['--force'] : []), ...pairs(annotations)]);
  if (namespace) commands.push(['edit', 'set', 'namespace', '--', namespace]);
  return commands;
}

/** There is no command for patches: they are written into the file. */
function addPatches(path: string, folder: string, { edits: { patches = [] } }: KustomizeInvocation): void {
  if (patches.length === 0) return;
  for (const name of kustomizationNames) {
    const file = join(path, name);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    const fields = parseYaml(text) as Record<string, JsonValue> | null;
    const before = Array.isArray(fields?.patches) ? fields.patches : [];
    writeFileSync(file, printYaml({ ...fields, patches: [...before, ...(patches as unknown as JsonValue[])] }));
    return;
  }
  throw failure(kustomizeBinaryFailed, {
    message: 'kustomization file not found in the path',
    place: { file: folder },
    remedies: ['Set path to a folder with a kustomization'],
  });
}

function runner(
  { folder, environment, time, signal }: BinaryBuild,
  { version, path }: NonNullable<KustomizeInvocation['binary']>,
  { root, home }: { readonly root: string; readonly home: string },
): (at: string, args: readonly string[]) => Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_TERMINAL_PROMPT: '0', ...environment };
  return async (at, args) => {
    const shown = ['kustomize', ...args].join(' ').replaceAll(root, '.');
    let result: Awaited<ReturnType<typeof runProgram>>;
    try {
      result = await runProgram({
        ...{ path, args, env, folder: at, input: '', limits: { time } },
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (!(error instanceof Error) || 'diagnosis' in error || signal?.aborted) throw error;
      throw failure(
        kustomizeBinaryFailed,
        {
          message: `The kustomize of version ${version} can not be run: ${error.message}`,
          place: { object: 'ConfigMap argocd-cm', field: `kustomize.path.${version}` },
          remedies: [`Put the program of this version at ${path}, where sources are rendered, and make it executable`],
        },
        { handling: 'retryable', cause: error },
      );
    }
    if (result.failed === undefined) return result.output;
    throw failure(kustomizeBinaryFailed, {
      message: `\`${shown}\` failed ${result.failed}: ${result.error.replaceAll(root, '.').trim()}`,
      place: { file: folder },
      evidence: { version, program: path },
      remedies: [`Run it by hand in a checkout: ${shown}`],
    });
  };
}
