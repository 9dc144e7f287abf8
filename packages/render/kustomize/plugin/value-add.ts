import { parseYaml } from '@tiphys/yaml';
import { decodeJson, goInt, goString, sliceOf, struct } from '../decode/go-json.ts';
import { GoError } from '../failure/go-error.ts';
import type { Selector } from '../kustomization/kustomization.ts';
import { selectorType } from '../kustomization/kustomization-types.ts';
import type { Resource } from '../resource/resource.ts';
import { selectResources } from '../resource/selector-pattern.ts';
import { onResource, splitPath, stamped } from '../transform/field-spec.ts';
import { setNamespace } from '../transform/namespace.ts';
import type { Transformer } from '../transform/transformer.ts';
import { lookupCreate, setScalar } from '../tree/fields.ts';
import { requireKind } from '../tree/invalid-kind.ts';
import { Node } from '../tree/node.ts';
import { type PluginConfig, readPluginConfig } from './plugin-config.ts';

interface Target {
  selector?: Selector;
  fieldPath?: string;
  filePathPosition?: number;
}

const targets = sliceOf(struct('Target', { selector: selectorType, fieldPath: goString, filePathPosition: goInt }));
const type = struct('ValueAddTransformerPlugin', { value: goString, targets, targetFilePath: goString });

/** Writes a value into fields; by default the name of the kustomization's folder. */
export async function valueAddTransformer(config: PluginConfig): Promise<Transformer> {
  const { loader, stamp } = config;
  const read = readPluginConfig<{ value?: string; targets?: Target[]; targetFilePath?: string }>(config, type);
  const value = read.value?.trim() || loader.root.slice(loader.root.lastIndexOf('/') + 1);
  const all = [...(read.targets ?? [])];
  if (read.targetFilePath) {
    const file = parseYaml(await loader.load(read.targetFilePath), { file: loader.display(read.targetFilePath) });
    const more = decodeJson<{ targets?: Target[] }>(file, struct('', { targets }), { strict: false });
    all.push(...(more?.targets ?? []));
  }
  if (all.length === 0) throw new GoError('must specify at least one target');
  for (const { fieldPath, filePathPosition = 0 } of all) {
    if (!fieldPath) throw new GoError('fieldPath cannot be empty');
    if (filePathPosition < 0) throw new GoError(`value of FilePathPosition (${filePathPosition}) cannot be negative`);
  }
  const apply = (resource: Resource, target: Target): void => {
    const path = target.fieldPath as string;
    if (path === 'metadata/namespace') {
      setNamespace(resource, value, stamp);
      return;
    }
    const node = lookupCreate(resource.node, 'scalar', ...splitPath(path));
    if (node === undefined) return;
    requireKind(node, 'scalar');
    const position = target.filePathPosition ?? 0;
    setScalar(node, stamped(Node.scalar(position > 0 ? inserted(node.value, position - 1, value) : value), stamp));
  };
  return {
    name: 'ValueAddTransformer',
    transform(resources) {
      for (const target of all) {
        const selected = target.selector ? selectResources(resources.resources, target.selector) : resources.resources;
        for (const resource of selected) onResource(resource, () => apply(resource, target));
      }
    },
  };
}

/** The path with a part put in at a position; an absolute path stays one. */
function inserted(path: string, position: number, part: string): string {
  const parts = path === '' ? [] : path.replace(/(?<!\/)\/+$/, '').split('/');
  if (path === '/') parts.splice(0, parts.length, '');
  let at = Math.min(position, parts.length);
  if (parts[0] === '' && at < parts.length) at++;
  return [...parts.slice(0, at), part, ...parts.slice(at)].join('/');
}
