import { isUtf8 } from 'node:buffer';
import { goQuote } from '@tiphys/go';
import { configured } from '../config/configured.ts';
import { GoError, goMessageOf, reworded } from '../failure/go-error.ts';
import type { Patch, Selector } from '../kustomization/kustomization.ts';
import type { Loader } from '../load/loader.ts';
import { buildAnnotation, removedAnnotations } from '../resource/build-annotations.ts';
import type { Scopes } from '../resource/cluster-scope.ts';
import { readResources } from '../resource/read-resources.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import { formatId } from '../resource/resource-id.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { selectResources } from '../resource/selector-pattern.ts';
import { onResource } from '../transform/field-spec.ts';
import type { Choice, Transformer } from '../transform/transformer.ts';
import { formatJson } from '../tree/format-json.ts';
import { fromValue } from '../tree/from-value.ts';
import type { Origin } from '../tree/node.ts';
import { toValue } from '../tree/to-value.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { readJsonPatch, readPatchValue } from './read-json-patch.ts';
import { applyPatch, applyPatchTo } from './resource-patch.ts';

export interface PatchContext {
  readonly loader: Loader;
  readonly scopes: Scopes;
  /** Of the entry; a patch file's nodes keep their own file and line, with this as their entry. */
  readonly stamp: Stamp;
  /** Text of the configuration, if it is an object of its own. */
  readonly config?: string;
}

/** One entry of `patches`. */
export async function patchTransformer(patch: Patch, context: PatchContext): Promise<Transformer> {
  const name = 'PatchTransformer';
  const { path, patch: inline, target, options } = patch;
  return configured(name, { path, patch: inline, target, options }, async (made) => {
    const config = context.config ?? made;
    const trimmed = inline?.trim() ?? '';
    if (trimmed === '' && !path) throw new GoError(`must specify one of patch and path in\n${config}`);
    if (trimmed !== '' && path) throw new GoError(`patch and path can't be set at the same time\n${config}`);
    const text = trimmed === '' ? await readPatchFile(path as string, context.loader) : trimmed;
    const source = trimmed === '' ? `[path: ${goQuote(path as string)}]` : `[patch: ${goQuote(trimmed)}]`;
    const read = readPatch(text, path, source, context);
    const chosen = target === undefined ? undefined : new Chosen(target);
    if (read.resources.length > 0) {
      for (const resource of read.resources) {
        if (options?.allowNameChange) resource.enable('allowNameChange');
        if (options?.allowKindChange) resource.enable('allowKindChange');
      }
      return chosenBy(chosen, { name, transform: (map) => mergePatches(map, read.resources, chosen, source) });
    }
    // Nothing but comments, blanks and empty documents.
    if (read.operations.length === 0) return { name, transform: () => undefined };
    return chosenBy(chosen, {
      name,
      unrooted: unrootedPaths(read.operations),
      transform: (map) => {
        if (chosen === undefined)
          throw new GoError(`must specify a target for JSON patch ${source}`, {
            remedies: ['Add target with the kind and name of what is to be patched'],
          });
        for (const resource of chosen.of(map)) {
          resource.storePreviousId();
          applyOperations(resource, read.operations);
        }
      },
    });
  });
}

/** The resources that a target selects. */
class Chosen implements Choice {
  readonly target: Selector;
  #fits = false;

  constructor(target: Selector) {
    this.target = target;
  }

  get wanted(): string {
    const { group, version, kind, name, namespace, labelSelector, annotationSelector } = this.target;
    const parts = { group, version, kind, name, namespace, labelSelector, annotationSelector };
    const given = Object.entries(parts).flatMap(([part, value]) => (value ? [`${part} ${value}`] : []));
    return `no resource has ${given.join(', ')}`;
  }

  of(map: ResourceMap): Resource[] {
    const selected = selectResources(map.resources, this.target);
    this.#fits = selected.length > 0;
    return selected;
  }

  fits(): boolean {
    return this.#fits;
  }

  /** Resources of the kind; of all kinds if there is none. */
  there({ resources }: ResourceMap): string[] {
    const shown = (all: readonly Resource[]) => all.map(({ originalId: { kind, name } }) => `${kind} ${name}`);
    const alike = shown(resources.filter(({ kind }) => kind === this.target.kind));
    return alike.length > 0 ? alike : shown(resources);
  }
}

function chosenBy(choice: Chosen | undefined, transformer: Transformer): Transformer {
  return choice ? { ...transformer, choice } : transformer;
}

async function readPatchFile(path: string, loader: Loader): Promise<string> {
  try {
    return decode(await loader.load(path));
  } catch (error) {
    throw reworded(error, `failed to get the patch file from path(${path}): ${goMessageOf(error)}`);
  }
}

function decode(data: Uint8Array): string {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return isUtf8(buffer) ? buffer.toString('utf8') : buffer.toString('latin1');
}

interface PatchRead {
  readonly resources: readonly Resource[];
  readonly operations: readonly JsonPatchOperation[];
}

/** A text may be a strategic merge patch or a JSON patch; it is tried as both. */
function readPatch(text: string, path: string | undefined, source: string, context: PatchContext): PatchRead {
  const origin = originOf(path, context);
  let resources: Resource[] | undefined;
  let operations: JsonPatchOperation[] | undefined;
  let mergeError: unknown;
  let jsonError: unknown;
  try {
    resources = readMergePatch(text, path, context);
  } catch (error) {
    mergeError = error;
  }
  try {
    if (text === '') throw new GoError('empty json patch operations');
    operations = readJsonPatch(text, origin, path ? 1 : context.stamp.line);
  } catch (error) {
    jsonError = error;
  }
  if (resources?.length && operations?.length)
    throw new GoError(`illegally qualifies as both an SM and JSON patch: ${source}`);
  if (!resources && !operations)
    throw new GoError(`unable to parse SM or JSON patch from ${source}`, {
      // lines of an inline patch are none of the file that holds it
      ...(path ? placeOf(mergeError) : {}),
      evidence: { 'as a strategic merge patch': goMessageOf(mergeError), 'as a JSON patch': goMessageOf(jsonError) },
      remedies: [
        'A strategic merge patch needs apiVersion, kind and metadata.name; a JSON patch is a list of operations',
      ],
    });
  return { resources: resources ?? [], operations: operations ?? [] };
}

function placeOf(error: unknown): { place?: NonNullable<GoError['place']> } {
  return error instanceof GoError && error.place ? { place: error.place } : {};
}

/** Nodes of a file keep their lines; those of an inline patch have the line of its entry. */
function readMergePatch(text: string, path: string | undefined, context: PatchContext): Resource[] {
  const resources = readResources(text, originOf(path, context), context.scopes, { positions: true });
  if (!path) for (const { node } of resources) node.stamped(context.stamp.origin, context.stamp.line);
  return resources;
}

function originOf(path: string | undefined, { loader, stamp }: PatchContext): Origin {
  if (!path) return stamp.origin;
  const { file, entry } = stamp.origin;
  return { file: loader.display(path), ...(entry === undefined ? {} : { entry }), kustomization: file };
}

function mergePatches(
  map: ResourceMap,
  patches: readonly Resource[],
  chosen: Chosen | undefined,
  source: string,
): void {
  if (chosen !== undefined) {
    if (patches.length > 1)
      throw new GoError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
        { remedies: ['Give each patch an entry of its own, or leave out target'] },
      );
    let selected: Resource[];
    try {
      selected = chosen.of(map);
    } catch (error) {
      throw reworded(
        error,
        `unable to find patch target ${goQuote(formatSelector(chosen.target))} in \`resources\`: ${goMessageOf(error)}`,
      );
    }
    applyPatchTo(map, selected, patches[0] as Resource);
    return;
  }
  for (const patch of patches) {
    const id = patch.originalId;
    let found: Resource;
    try {
      found = map.byId(id);
    } catch (error) {
      throw reworded(
        error,
        `no resource matches strategic merge patch ${goQuote(formatId(id))}: ${goMessageOf(error)}`,
        {
          ...(patch.node.origin ? { place: { file: patch.node.origin.file, line: patch.node.line } } : {}),
          remedies: ['Correct kind, name or namespace of the patch, or select what it is for with target'],
        },
      );
    }
    onResource(found, () => applyPatch(found, patch));
  }
}

function formatSelector(selector: Selector): string {
  const { group = '', version = '', kind = '', name = '', namespace = '' } = selector;
  const id = formatId({ group, version, kind, name, namespace, clusterScoped: false });
  return `${id}:a=${selector.annotationSelector ?? ''}:l=${selector.labelSelector ?? ''}`;
}

/** Facts of the build that a patch wiped come back. */
function applyOperations(resource: Resource, operations: readonly JsonPatchOperation[]): void {
  onResource(resource, () => {
    const kept = [...resource.annotations].filter(([key]) => isInternal(key));
    const tree = fromValue(toValue(resource.node), resource.node, 'yaml');
    const patched = applyJsonPatch(tree, operations);
    if (patched.kind === 'list')
      throw new GoError('json: cannot unmarshal array into Go value of type map[string]interface {}');
    resource.node = patched;
    const { annotations } = resource;
    for (const [key, value] of kept) annotations.set(key, value);
    resource.annotations = annotations;
  });
}

function isInternal(key: string): boolean {
  return key.startsWith('internal.config.kubernetes.io/') || legacyInternal.has(key);
}

const legacyInternal = new Set(
  [...removedAnnotations].filter((key) => key.startsWith('config.') && key !== buildAnnotation.helmGenerated),
);

/** All of `patchesStrategicMerge`: each is a patch, or a file with patches; `text` has more patches. */
export async function strategicMergeTransformer(
  paths: readonly string[],
  context: PatchContext,
  text = '',
): Promise<Transformer> {
  const name = 'PatchStrategicMergeTransformer';
  return configured(name, { paths }, async () => {
    const patches: Resource[] = [];
    for (const path of paths) {
      let inline: Resource[] | undefined;
      try {
        inline = readMergePatch(path, undefined, context);
      } catch (error) {
        if (!(error instanceof GoError)) throw error;
      }
      patches.push(...(inline ?? (await patchesOfFile(path, context))));
    }
    if (text !== '') patches.push(...readMergePatch(text, undefined, context));
    if (patches.length === 0) throw new GoError(`patch appears to be empty; files=[${paths.join(' ')}], Patch=${text}`);
    return {
      name,
      transform: (map) => {
        for (const patch of patches) applyPatchTo(map, [map.byId(patch.originalId)], patch);
      },
    };
  });
}

async function patchesOfFile(path: string, context: PatchContext): Promise<Resource[]> {
  const text = decode(await context.loader.load(path));
  try {
    return readMergePatch(text, path, context);
  } catch (error) {
    const message = goMessageOf(error);
    if (/error converting YAML to JSON|error unmarshaling JSON/.test(message))
      throw reworded(error, `YAML file [${path}] encounters a format error.\n${message}\n`);
    if (message.includes('MalformedYAMLError')) throw reworded(error, `${message} in File: ${path}`);
    throw error;
  }
}

/** One entry of `patchesJson6902`. */
export async function jsonPatchTransformer(patch: Patch, context: PatchContext): Promise<Transformer> {
  const name = 'PatchJson6902Transformer';
  const { target, path, patch: inline } = patch;
  return configured(name, { target, path, jsonOp: inline }, async () => {
    if (!target?.name) throw new GoError('must specify the target name', { remedies: ['Add target.name'] });
    if (!path && !inline) throw new GoError('empty file path and empty jsonOp');
    if (path && inline) throw new GoError('must specify a file path or jsonOp, not both');
    const text = path ? decode(await context.loader.load(path)) : (inline as string);
    if (text === '') throw new GoError(`patch file '${path}' empty seems to be empty`);
    const operations = readOperations(text, path, context);
    const chosen = new Chosen(target);
    return {
      name,
      choice: chosen,
      unrooted: unrootedPaths(operations),
      transform: (map) => {
        for (const resource of chosen.of(map)) applyOperations(resource, operations);
      },
    };
  });
}

/** Upstream splits a path at each `/` and takes what follows the first: `data/k` is the field `k` of the object. */
function unrootedPaths(operations: readonly JsonPatchOperation[]): string[] {
  return operations.flatMap(({ fields }) =>
    ['path', 'from'].flatMap((name) => {
      const path = fields.get(name);
      return typeof path === 'string' && path.includes('/') && !path.startsWith('/') ? [path] : [];
    }),
  );
}

function readOperations(text: string, path: string | undefined, context: PatchContext): JsonPatchOperation[] {
  const origin = originOf(path, context);
  const shown = text.startsWith('[') ? text : formatJson(readPatchValue(text, origin).value);
  let operations: JsonPatchOperation[];
  try {
    operations = readJsonPatch(text, origin, path ? 1 : context.stamp.line);
  } catch (error) {
    throw reworded(error, `decoding ${shown}: ${goMessageOf(error)}`);
  }
  if (operations.length === 0) throw new GoError(`patch appears to be empty; file=${path ?? ''}, JsonOp=${shown}`);
  return operations;
}
