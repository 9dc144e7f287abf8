import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { JsonValue, Printable } from '@tiphys/yaml';
import type { BuildContext, HelmFacts } from '../context/build-context.ts';
import { applyEdits, givenBy, type KustomizationEdits } from '../edit/edits.ts';
import { GoError, goMessageOf, reworded } from '../failure/go-error.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import { addHashes } from '../generate/name-hash.ts';
import { type KustomizationFile, readKustomization } from '../kustomization/read-kustomization.ts';
import type { FileTree } from '../load/file-tree.ts';
import { Loader, type Remotes } from '../load/loader.ts';
import { defaultTreeLimits, ObservedTree, type PathRead, type TreeLimits } from '../load/observed-tree.ts';
import { parseRepoSpec } from '../load/repo-spec.ts';
import { ProgramFolders } from '../program/program-folder.ts';
import type { ProgramOptions } from '../program/programs.ts';
import { originAnnotation, transformationsAnnotation } from '../resource/build-annotations.ts';
import { Scopes } from '../resource/cluster-scope.ts';
import { rootOrigin } from '../resource/origin.ts';
import { isLocalConfig, validateMetadata } from '../resource/read-resources.ts';
import type { Resource } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { Accumulator } from '../target/accumulator.ts';
import { loadSchema, Target } from '../target/target.ts';
import { resolveVars } from '../target/vars.ts';
import { mapEntries } from '../transform/labels-and-annotations.ts';
import { updateNameReferences } from '../transform/name-references.ts';
import { sortOrderTransformer } from '../transform/sort-order.ts';
import { describeFailure } from '../tree/describe-failure.ts';
import type { Node } from '../tree/node.ts';
import { toValue } from '../tree/to-value.ts';
import { type WrittenField, writtenFields } from './written-fields.ts';

/** The version whose output is matched; it is in the label of managedByLabel. */
export const kustomizeVersion = 'v5.8.1';

export interface BuildRequest {
  readonly tree: FileTree;
  /** Absolute path of the folder in the tree, or the address of a repository. */
  readonly path: string;
  /** The path as messages show it. */
  readonly shownPath?: string;
  /** Made to the kustomization before it is built, as if its file said so. */
  readonly edits?: KustomizationEdits;
  /** For remote bases and files; they are refused without. */
  readonly remotes?: Remotes;
  /** `rootOnly` if not given: files must be in or below the folder of the kustomization that names them. */
  readonly loadRestrictions?: 'rootOnly' | 'none';
  /** Whether helmCharts may be rendered, with our own Helm. */
  readonly enableHelm?: boolean;
  /** What charts learn about the cluster. */
  readonly helm?: HelmFacts;
  /** Lets functions and programs run that plugin configurations name; they are refused without. */
  readonly programs?: ProgramOptions;
  /** For kustomizations without sortOptions: `legacy` if not given. */
  readonly reorder?: 'legacy' | 'none';
  readonly managedByLabel?: boolean;
  readonly limits?: Partial<TreeLimits> & { readonly depth?: number };
  /** Takes lines of Kustomize's standard error as they come; they are in the result too. */
  readonly warn?: (line: string) => void;
}

export interface Built {
  /** What `kustomize build` prints. */
  readonly yaml: string;
  readonly resources: readonly Resource[];
  /** The same as JSON values, each with the place that it came from. */
  readonly objects: readonly BuiltObject[];
  /** Every path that was looked at, sorted. */
  readonly reads: readonly PathRead[];
  /** Lines of Kustomize's standard error. */
  readonly warnings: readonly string[];
  /** What Kustomize says nothing of: entries that fit no resource. */
  readonly notices: readonly Diagnosis[];
}

export interface BuiltObject {
  readonly value: JsonValue;
  /** 1-based. */
  readonly origin: { readonly file: string; readonly line: number; readonly written?: readonly WrittenField[] };
}

/** More of them say nothing new. */
const shownNotices = 10;

/** Builds a kustomization. Throws `KustomizeError`. */
export async function buildKustomization(request: BuildRequest): Promise<Built> {
  const tree = new ObservedTree(request.tree, { ...defaultTreeLimits, ...request.limits });
  const warnings: string[] = [];
  const notices: Diagnosis[] = [];
  const warn = (line: string): void => {
    warnings.push(line);
    request.warn?.(line);
  };
  const folders = new ProgramFolders();
  try {
    const resources = await build(request, tree, folders, { warn, notice: (notice) => void notices.push(notice) });
    const yaml = resources.resources.map((resource) => textOf(resource, tree)).join('---\n');
    const objects = (): BuiltObject[] => resources.resources.map((resource) => objectOf(resource, request.path));
    return {
      yaml,
      resources: resources.resources,
      get objects() {
        return objects();
      },
      reads: tree.reads,
      warnings,
      notices: notices.slice(0, shownNotices),
    };
  } catch (error) {
    // Anything else is a defect of ours, and must look like one.
    throw error instanceof GoError || error instanceof DiagnosisError ? new KustomizeError(error) : error;
  } finally {
    folders.close();
  }
}

function objectOf(resource: Resource, path: string): BuiltObject {
  const { origin, line } = resource.node;
  const written = writtenFields(resource.node);
  return {
    value: toPlain(toValue(resource.node)),
    origin: {
      file: origin?.file ?? path.replace(/^\//, ''),
      line: line || 1,
      ...(written.length > 0 ? { written } : {}),
    },
  };
}

/** Maps as objects. */
function toPlain(value: Printable): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toPlain);
  const entries = value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item as Printable)]));
}

function textOf(resource: Resource, tree: ObservedTree): string {
  try {
    return resource.asYaml();
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    const message = describeFailure(resource.node, goMessageOf(error), (node) => commentsBefore(tree, node));
    throw reworded(error, message);
  }
}

/** Comment lines between the start of a node's document and the node; they count in Kustomize's lines. */
function commentsBefore(tree: ObservedTree, node: Node): number {
  const text = node.origin && tree.textOf(`/${node.origin.file}`);
  if (text === undefined) return 0;
  const lines = text.split('\n').slice(0, node.line);
  const start = lines.findLastIndex((line) => line.startsWith('---')) + 1;
  return lines.slice(start).filter((line) => /^\s*#/.test(line)).length;
}

async function build(
  request: BuildRequest,
  tree: ObservedTree,
  folders: ProgramFolders,
  told: Pick<BuildContext, 'warn' | 'notice'>,
): Promise<ResourceMap> {
  const { warn } = told;
  const { programs } = request;
  const context: BuildContext = {
    loader: { remotes: request.remotes, maxDepth: request.limits?.depth ?? 100 },
    scopes: new Scopes(),
    plugins: {
      helm: request.enableHelm ?? false,
      facts: request.helm ?? {},
      ...(programs ? { programs: { ...programs, folders } } : {}),
    },
    ...told,
  };
  const spec = parseRepoSpec(request.path);
  const loader =
    'problem' in spec
      ? await Loader.at(tree, request.path, context.loader, {
          restricted: request.loadRestrictions !== 'none',
          shownPath: request.shownPath,
        })
      : await Loader.atRepository(spec, context.loader);
  const { edits } = request;
  const read = await readKustomization(loader, warn, edits && ((fields) => applyEdits(fields, edits)));
  const file: KustomizationFile = {
    ...read,
    givenBy: (entry, index) => givenBy(read.fields, edits, entry, index),
  };
  await loadSchema(loader, file, context, true);
  const metadata = file.fields.buildMetadata ?? [];
  const target = new Target(loader, file, context, metadata.length > 0 ? rootOrigin : undefined);
  const accumulator = await target.accumulate();
  finish(accumulator, warn);
  const { resources } = accumulator;
  sort(request, resources, file.fields.sortOptions, warn);
  if (request.managedByLabel || metadata.includes('managedByLabel')) addManagedBy(resources, file.file);
  for (const resource of resources.resources) removeTraces(resource, metadata);
  return resources;
}

/** What is done once, for all kustomizations together. */
function finish(accumulator: Accumulator, warn: (line: string) => void): void {
  const { resources, config } = accumulator;
  addHashes(resources);
  updateNameReferences(resources, config.nameReference);
  resolveVars(accumulator, warn);
  for (const resource of resources.resources) if (!resource.isEmpty) validateMetadata(resource.node);
  resources.remove(new Set(resources.resources.filter((resource) => resource.isEmpty || isLocalConfig(resource))));
}

function sort(
  request: BuildRequest,
  resources: ResourceMap,
  options: Parameters<typeof sortOrderTransformer>[0],
  warn: (line: string) => void,
): void {
  if (options !== undefined) {
    if (request.reorder !== undefined)
      warn(
        "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). Using the kustomization file over the CLI flag.",
      );
    void sortOrderTransformer(options).transform(resources);
  } else if (request.reorder !== 'none') void sortOrderTransformer({ order: 'legacy' }).transform(resources);
}

function addManagedBy(resources: ResourceMap, file: string): void {
  void mapEntries({
    name: 'LabelTransformer',
    entries: new Map([['app.kubernetes.io/managed-by', `kustomize-${kustomizeVersion}`]]),
    fieldSpecs: [{ path: 'metadata/labels', create: true }],
    stamp: { origin: { file, entry: 'buildMetadata' }, line: 1 },
  }).transform(resources);
}

function removeTraces(resource: Resource, metadata: readonly string[]): void {
  resource.removeBuildAnnotations();
  const { annotations } = resource;
  if (!metadata.includes('originAnnotations')) annotations.delete(originAnnotation);
  if (!metadata.includes('transformerAnnotations')) annotations.delete(transformationsAnnotation);
  if (!metadata.includes('originAnnotations') || !metadata.includes('transformerAnnotations'))
    resource.annotations = annotations;
}
