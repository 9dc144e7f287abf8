import { decodeJson, goBool, goString, sliceOf, struct } from '../decode/go-json.ts';
import { GoError, goMessageOf, reworded } from '../failure/go-error.ts';
import type { Resource } from '../resource/resource.ts';
import { formatId } from '../resource/resource-id.ts';
import { encodeNode } from '../tree/encode-node.ts';
import { readTree } from '../tree/read-tree.ts';
import { toValue } from '../tree/to-value.ts';

/** How a function is run: as a container's image or as a program. */
export interface FunctionSpec {
  readonly deferFailure?: boolean;
  readonly container?: {
    readonly image?: string;
    readonly network?: boolean;
    readonly mounts?: readonly StorageMount[];
    readonly envs?: readonly string[];
  };
  readonly exec?: { readonly path?: string; readonly args?: readonly string[]; readonly envs?: readonly string[] };
}

export interface StorageMount {
  readonly type?: string;
  readonly src?: string;
  readonly dst?: string;
  readonly rw?: boolean;
}

const specType = struct('FunctionSpec', {
  deferFailure: goBool,
  container: struct('ContainerSpec', {
    image: goString,
    network: goBool,
    mounts: sliceOf(struct('StorageMount', { type: goString, src: goString, dst: goString, rw: goBool })),
    envs: sliceOf(goString),
  }),
  exec: struct('ExecSpec', { path: goString, args: sliceOf(goString), envs: sliceOf(goString) }),
});

/** The function that a plugin configuration asks for; undefined if it is none. */
export function functionSpecOf(resource: Resource): FunctionSpec | undefined {
  for (const key of ['config.kubernetes.io/function', 'config.k8s.io/function']) {
    const text = resource.annotation(key);
    if (text) return checked(parse(text, key), resource);
  }
  const inline = resource.node.get('metadata')?.get('configFn');
  if (inline !== undefined && !inline.isNull) return checked(parse(encodeNode(inline), 'configFn'), resource);
  const image = resource.annotation('config.kubernetes.io/container');
  return image ? { container: { image } } : undefined;
}

function parse(text: string, name: string): FunctionSpec {
  try {
    const tree = readTree(text, { file: name });
    return tree === undefined ? {} : decodeJson<FunctionSpec>(toValue(tree), specType, { strict: true });
  } catch (error) {
    throw reworded(
      error,
      `loader: failed to get FunctionSpec: ${name} unmarshal error: error unmarshaling JSON: while decoding JSON: ${goMessageOf(error)}`,
    );
  }
}

/** Folders that a container sees must lie in the kustomization. */
function checked(spec: FunctionSpec, resource: Resource): FunctionSpec {
  for (const { src = '' } of spec.container?.mounts ?? []) {
    const where = src.startsWith('/')
      ? 'relative to the current'
      : /^(?:\.\/)*\.\.\//.test(clean(src))
        ? 'under the current'
        : undefined;
    if (where !== undefined)
      throw new GoError(
        `plugin ${formatId(resource.originalId)} with mount path '${src}' is not permitted; mount paths must be ${where} kustomization directory`,
      );
  }
  return spec;
}

/** Go's filepath.Clean of a relative path. */
function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') || '.';
}
