import { GoError } from '../failure/go-error.ts';
import { readResources } from '../resource/read-resources.ts';
import type { Resource } from '../resource/resource.ts';
import { sameId } from '../resource/resource-id.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import type { Node } from '../tree/node.ts';
import type { PluginConfig } from './plugin-config.ts';

/** A function or program that a plugin configuration names. */
export interface ExternalPlugin {
  /** As messages name it. */
  readonly name: string;
  /** Runs it on resources as YAML documents; undefined asks it to generate. Gives what it wrote, as documents. */
  run(resources: readonly Resource[] | undefined): Promise<Resource[]>;
}

const idAnnotation = 'kustomize.config.k8s.io/id';
export const hashAnnotation = 'kustomize.config.k8s.io/needs-hash';
const behaviorAnnotation = 'kustomize.config.k8s.io/behavior';

/** What the plugin generates, with what its annotations ask for. */
export async function generateWith(plugin: ExternalPlugin): Promise<ResourceMap> {
  const made = new ResourceMap(await plugin.run(undefined));
  for (const resource of made.resources) {
    const { annotations } = resource;
    const hash = annotations.get(hashAnnotation);
    const behavior = annotations.get(behaviorAnnotation) ?? '';
    if (hash !== undefined && !/^(?:[01tTfF]|true|TRUE|True|false|FALSE|False)$/.test(hash))
      throw new GoError(
        `the annotation ${JSON.stringify(hashAnnotation)} contains an invalid value (${JSON.stringify(hash)})`,
      );
    annotations.delete(hashAnnotation);
    annotations.delete(behaviorAnnotation);
    resource.annotations = annotations;
    if (hash !== undefined && /^[1tT]/.test(hash)) resource.enable('hashSuffix');
    resource.behaviour = behavior;
  }
  return made;
}

/** Gives the resources to the plugin and takes over what it made of them: changed, added or left out. */
export async function transformWith(plugin: ExternalPlugin, resources: ResourceMap): Promise<void> {
  const input = resources.copy();
  for (const resource of input.resources)
    resource.annotations = resource.annotations.set(idAnnotation, idText(resource));
  const output = await plugin.run(input.resources);
  const made = new ResourceMap();
  const kept = new Set<Resource>();
  for (const resource of output) {
    const { annotations } = resource;
    if (annotations.delete(idAnnotation)) resource.annotations = annotations;
    const { id } = resource;
    if (made.resources.some((other) => sameId(other.id, id)))
      throw new GoError(`plugin ${plugin.name} generated duplicate resource: ${idJson(resource)}`);
    made.append(resource);
    const old = resources.matchingCurrentId((other) => sameId(other, id));
    if (old.length > 1) throw new GoError(`id matched ${old.length} resources`);
    if (old[0]) {
      keepOrigins(resource.node, old[0].node);
      old[0].node = resource.node;
      kept.add(old[0]);
    } else {
      resources.append(resource);
      kept.add(resource);
    }
  }
  resources.remove(new Set(resources.resources.filter((resource) => !kept.has(resource))));
}

/** What the program left as it was still comes from where it came from. */
function keepOrigins(node: Node, old: Node): boolean {
  if (node.kind !== old.kind) return false;
  if (node.kind === 'scalar') {
    if (node.value !== old.value) return false;
    takeOrigin(node, old);
    return true;
  }
  let same = node.content.length === old.content.length;
  if (node.kind === 'map')
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = node.content[i] as Node;
      const before = old.get(key.value);
      if (before === undefined) same = false;
      else {
        const oldKey = old.keyNode(key.value);
        if (oldKey) takeOrigin(key, oldKey);
        if (!keepOrigins(node.content[i + 1] as Node, before)) same = false;
      }
    }
  else
    for (const [i, item] of node.content.entries()) {
      const before = old.content[i];
      if (before === undefined || !keepOrigins(item, before)) same = false;
    }
  if (same) takeOrigin(node, old);
  else if (node.origin && old.origin) takeOrigin(node, old);
  return same;
}

function takeOrigin(node: Node, old: Node): void {
  node.origin = old.origin;
  node.line = old.line;
}

function idFields(resource: Resource): [string, string][] {
  const { group, version, kind, name, namespace } = resource.id;
  return Object.entries({ group, version, kind, name, namespace }).filter(([, value]) => value !== '');
}

const idText = (resource: Resource): string =>
  idFields(resource)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');

const idJson = (resource: Resource): string => JSON.stringify(Object.fromEntries(idFields(resource)));

/** What a program wrote, as resources. */
export function readOutput(text: string, config: PluginConfig): Resource[] {
  const { origin } = config.stamp;
  const made = readResources(text, origin, config.context.scopes, { positions: true });
  for (const resource of made) resource.node.stamped(origin, config.stamp.line);
  return made;
}
