import { GoError, wrapped } from '../failure/go-error.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import { buildAnnotation } from '../resource/build-annotations.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import { formatId, sameId } from '../resource/resource-id.ts';
import { describePlace, type ResourceMap } from '../resource/resource-map.ts';
import { lookup, lookupCreate } from '../tree/fields.ts';
import { InvalidKind, requireKind } from '../tree/invalid-kind.ts';
import { type Node, stringTag } from '../tree/node.ts';
import { applyFieldSpec, applyFieldSpecs, onResource, scalarSetter } from './field-spec.ts';
import type { Transformer } from './transformer.ts';

export type SubjectMode = 'defaultOnly' | 'allServiceAccounts' | 'none';

interface NamespaceOptions {
  readonly namespace: string;
  readonly fieldSpecs: readonly FieldSpec[];
  readonly subjects?: SubjectMode;
  /** Leave namespaces that are set. */
  readonly unsetOnly?: boolean;
  readonly stamp: Stamp;
}

/** Sets the namespace of everything that has one, of role bindings' subjects, and where the specs say. */
export function namespaceTransformer(options: NamespaceOptions): Transformer {
  const { namespace, stamp } = options;
  const plain = scalarSetter(namespace, stringTag, stamp);
  const set = options.unsetOnly ? (node: Node): void => (isSet(node) ? undefined : plain(node)) : plain;
  return {
    name: 'NamespaceTransformer',
    transform(resources: ResourceMap) {
      if (namespace === '') return;
      // Two resources can only get the same id if they have the same name.
      const names = new Map<string, Resource[]>();
      for (const resource of resources.resources) {
        const list = names.get(resource.name);
        if (list) list.push(resource);
        else names.set(resource.name, [resource]);
      }
      for (const resource of resources.resources) {
        if (resource.isEmpty || resource.annotation(buildAnnotation.helmGenerated) === 'true') continue;
        resource.storePreviousId();
        const before = resource.name;
        onResource(resource, () => transformOne(resource, options, set));
        const { id } = resource;
        const candidates = before === id.name ? (names.get(id.name) ?? []) : resources.resources;
        const matches = candidates.filter((other) => sameId(id, other.id));
        if (matches.length !== 1) throw conflict(matches);
      }
    },
  };
}

/** Sets the namespace of one resource, as the transformer does without field specs. */
export function setNamespace(resource: Resource, namespace: string, stamp: Stamp): void {
  transformOne(resource, { namespace, fieldSpecs: [], stamp }, scalarSetter(namespace, stringTag, stamp));
}

function isSet(node: Node): boolean {
  return !node.isEmpty && node.value !== '';
}

function conflict(matches: readonly Resource[]): GoError {
  const list = matches.map((match) => match.asJson()).join(' ');
  return new GoError(`namespace transformation produces ID conflict: [${list}]`, {
    evidence: Object.fromEntries(
      matches.map((match, i) => [`resource ${i + 1}`, `${formatId(match.id)} at ${describePlace(match.node) ?? '?'}`]),
    ),
    remedies: ['Give one of the two another name: in one namespace they are the same object'],
  });
}

function transformOne(resource: Resource, options: NamespaceOptions, set: (node: Node) => void): void {
  const { apiVersion, kind } = resource;
  let specs = options.fieldSpecs.filter(
    ({ path }) => path !== 'metadata/namespace' && (path !== 'metadata/name' || apiVersion === 'v1'),
  );
  if (!resource.id.clusterScoped)
    applyFieldSpec(resource, { path: 'metadata/namespace', create: true }, { set, createKind: 'scalar' });
  if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') {
    specs = specs.filter((spec) => !(isRoleBinding(spec.kind) && spec.path === 'subjects/namespace'));
    setSubjects(resource, options.subjects ?? 'defaultOnly', set);
  }
  try {
    applyFieldSpecs(resource, specs, { set, createKind: 'scalar', createTag: stringTag });
  } catch (error) {
    const cause = innermost(error);
    if (cause instanceof InvalidKind && cause.actual !== 'scalar')
      throw wrapped(error, 'namespace field specs must target scalar nodes');
    throw wrapped(error, 'namespace transformation failed');
  }
}

function innermost(error: unknown): unknown {
  let at = error;
  while (at instanceof GoError && at.cause !== undefined) at = at.cause;
  return at;
}

function isRoleBinding(kind: string | undefined): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

function setSubjects(resource: Resource, mode: SubjectMode, set: (node: Node) => void): void {
  if (mode === 'none') return;
  const subjects = lookup(resource.node, 'subjects');
  if (subjects === undefined || subjects.isNull) return;
  const [field, value] = mode === 'defaultOnly' ? ['name', 'default'] : ['kind', 'ServiceAccount'];
  try {
    requireKind(subjects, 'list');
    for (const subject of subjects.content) {
      const found = lookup(subject, field);
      if (found === undefined || found.isNull) continue;
      requireKind(found, 'scalar');
      if (found.value !== value) continue;
      const namespace = lookupCreate(subject, 'scalar', 'namespace');
      if (namespace) set(namespace);
    }
  } catch (error) {
    throw wrapped(error, 'setting namespace on (cluster)role binding subjects');
  }
}
