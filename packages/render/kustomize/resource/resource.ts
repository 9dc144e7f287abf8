import { printYaml } from '@tiphys/yaml';
import { GoError } from '../failure/go-error.ts';
import { apiVersionOf, type Gvk, gvkOf } from '../kustomization/gvk.ts';
import { lookupCreate, setField } from '../tree/fields.ts';
import { formatJson } from '../tree/format-json.ts';
import { Node, type Origin } from '../tree/node.ts';
import { isYaml11NonString } from '../tree/resolve-scalar.ts';
import { toValue } from '../tree/to-value.ts';
import { buildAnnotation, originAnnotation, removedAnnotations } from './build-annotations.ts';
import type { Scopes } from './cluster-scope.ts';
import type { ResourceId } from './resource-id.ts';

/** What a transformer leaves on the nodes that it makes. */
export interface Stamp {
  readonly origin: Origin;
  readonly line: number;
}

const none: readonly string[] = [];
const enabled = 'enabled';

/** An object on its way through a build. */
export class Resource {
  /** Null once a patch deleted the whole resource. */
  node: Node;
  readonly scopes: Scopes;
  /** Names of the vars that read from it. */
  varNames: string[] = [];
  #previous: { names: string; namespaces: string; kinds: string; apiVersion: string; ids: ResourceId[] } | undefined;

  constructor(node: Node, scopes: Scopes) {
    this.node = node;
    this.scopes = scopes;
  }

  copy(): Resource {
    const copy = new Resource(this.node.copy(), this.scopes);
    copy.varNames = [...this.varNames];
    return copy;
  }

  get isEmpty(): boolean {
    return this.node.isEmpty;
  }

  get kind(): string {
    return this.node.get('kind')?.value ?? '';
  }

  set kind(kind: string) {
    this.#setScalar(this.node, 'kind', kind);
  }

  get apiVersion(): string {
    return this.node.get('apiVersion')?.value ?? '';
  }

  get gvk(): Gvk {
    return gvkOf(this.apiVersion, this.kind);
  }

  set gvk(gvk: Gvk) {
    this.#setScalar(this.node, 'kind', gvk.kind);
    this.#setScalar(this.node, 'apiVersion', apiVersionOf(gvk));
  }

  get name(): string {
    return this.#metaText('name');
  }

  set name(name: string) {
    this.#setMeta('name', name);
  }

  get namespace(): string {
    return this.#metaText('namespace');
  }

  /** An empty one takes the field away. */
  set namespace(namespace: string) {
    if (namespace === '') this.#meta()?.clear('namespace');
    else this.#setMeta('namespace', namespace);
  }

  #meta(): Node | undefined {
    const meta = this.node.get('metadata');
    return meta === undefined || meta.isEmpty ? undefined : meta;
  }

  #metaText(name: string): string {
    const field = this.#meta()?.get(name);
    return field === undefined || field.isEmpty ? '' : field.value;
  }

  #setMeta(name: string, value: string): void {
    const meta = this.#metadata();
    if (meta) this.#setScalar(meta, name, value);
  }

  #metadata(): Node | undefined {
    return lookupCreate(this.node, 'map', 'metadata');
  }

  #setScalar(map: Node, name: string, value: string): void {
    const scalar = Node.scalar(value);
    const before = map.get(name);
    scalar.origin = before?.origin;
    scalar.line = before?.line ?? 0;
    setField(map, name, scalar);
  }

  #map(name: 'labels' | 'annotations'): Map<string, string> {
    const map = new Map<string, string>();
    const field = this.#meta()?.get(name);
    if (field?.kind === 'list' && field.content.length > 0)
      throw new GoError(`metadata.${name} is a list, not a map`, {
        ...(field.origin ? { place: { file: field.origin.file, line: field.line } } : {}),
        remedies: [`Write metadata.${name} as names with values`],
      });
    const content = field?.content ?? [];
    for (let i = 0; i + 1 < content.length; i += 2) map.set((content[i] as Node).value, (content[i + 1] as Node).value);
    return map;
  }

  get labels(): Map<string, string> {
    return this.#map('labels');
  }

  set labels(labels: ReadonlyMap<string, string>) {
    this.#setMap('labels', labels);
  }

  get annotations(): Map<string, string> {
    return this.#map('annotations');
  }

  /** All values become strings; an empty map takes the field away. */
  set annotations(annotations: ReadonlyMap<string, string>) {
    this.#setMap('annotations', annotations);
  }

  #setMap(name: string, map: ReadonlyMap<string, string>): void {
    const meta = this.#metadata();
    if (!meta) return;
    const before = meta.clear(name);
    if (map.size === 0) return;
    const node = new Node('map');
    if (before) {
      node.origin = before.origin;
      node.line = before.line;
    }
    for (const key of [...map.keys()].sort()) {
      const value = Node.string(map.get(key) as string);
      if (isYaml11NonString(value.value)) value.style = 'quoted';
      const old = before?.get(key);
      if (old) {
        value.origin = old.origin;
        value.line = old.line;
      }
      node.append(key, value);
    }
    meta.append(name, node);
  }

  annotation(key: string): string | undefined {
    return this.#meta()?.get('annotations')?.get(key)?.value;
  }

  setAnnotation(key: string, value: string): void {
    const meta = this.#metadata();
    if (meta?.get('annotations')?.isEmpty) meta.clear('annotations');
    const annotations = lookupCreate(this.node, 'map', 'metadata', 'annotations');
    if (!annotations) return;
    const node = Node.string(value);
    node.style = 'single';
    setField(annotations, key, node);
  }

  list(key: string): readonly string[] {
    const text = this.annotation(key);
    return text === undefined ? none : text.split(',');
  }

  #appendTo(key: string, value: string): void {
    if (value !== '') this.setAnnotation(key, [...this.list(key), value].join(','));
  }

  addNamePrefix(prefix: string): void {
    this.#appendTo(buildAnnotation.prefixes, prefix);
  }

  addNameSuffix(suffix: string): void {
    this.#appendTo(buildAnnotation.suffixes, suffix);
  }

  get prefixes(): readonly string[] {
    return this.list(buildAnnotation.prefixes);
  }

  get suffixes(): readonly string[] {
    return this.list(buildAnnotation.suffixes);
  }

  addReferrer(id: string): void {
    this.#appendTo(buildAnnotation.referredBy, id);
  }

  isEnabled(key: 'hashSuffix' | 'allowNameChange' | 'allowKindChange'): boolean {
    return this.annotation(buildAnnotation[key]) === enabled;
  }

  enable(key: 'hashSuffix' | 'allowNameChange' | 'allowKindChange'): void {
    this.annotations = this.annotations.set(buildAnnotation[key], enabled);
  }

  get behaviour(): 'unspecified' | 'create' | 'replace' | 'merge' {
    const text = this.annotation(buildAnnotation.behaviour);
    return text === 'create' || text === 'replace' || text === 'merge' ? text : 'unspecified';
  }

  set behaviour(behaviour: string) {
    const known = ['create', 'replace', 'merge'].includes(behaviour) ? behaviour : 'unspecified';
    this.annotations = this.annotations.set(buildAnnotation.behaviour, known);
  }

  /** Remembers the id it has now, before it changes. */
  storePreviousId(): void {
    const { namespace, name, kind } = this;
    const effective = this.scopes.isClusterScoped(this.gvk) ? '_non_namespaceable_' : namespace || 'default';
    this.#appendTo(buildAnnotation.previousNames, name);
    this.#appendTo(buildAnnotation.previousNamespaces, effective);
    this.#appendTo(buildAnnotation.previousKinds, kind);
  }

  get id(): ResourceId {
    const { gvk } = this;
    return {
      ...gvk,
      name: this.name,
      namespace: this.namespace,
      clusterScoped: this.scopes.isClusterScoped(gvk),
    };
  }

  /** Ids it had before, oldest first. */
  get previousIds(): readonly ResourceId[] {
    const annotations = this.#meta()?.get('annotations');
    const names = annotations?.get(buildAnnotation.previousNames)?.value;
    if (names === undefined) return [];
    const namespaces = annotations?.get(buildAnnotation.previousNamespaces)?.value ?? '';
    const kinds = annotations?.get(buildAnnotation.previousKinds)?.value ?? '';
    const { apiVersion } = this;
    const cached = this.#previous;
    if (
      cached?.names === names &&
      cached.namespaces === namespaces &&
      cached.kinds === kinds &&
      cached.apiVersion === apiVersion
    )
      return cached.ids;
    const nameList = names.split(',');
    const namespaceList = namespaces.split(',');
    const kindList = kinds.split(',');
    if (nameList.length !== namespaceList.length || nameList.length !== kindList.length)
      throw new GoError('number of previous names, number of previous namespaces, number of previous kinds not equal');
    const ids = nameList.map((name, i) => ({
      ...gvkOf(apiVersion, kindList[i] as string),
      name,
      namespace: namespaceList[i] as string,
      clusterScoped: false,
    }));
    this.#previous = { names, namespaces, kinds, apiVersion, ids };
    return ids;
  }

  /** Whether it has or had the name. */
  hasName(name: string): boolean {
    return this.name === name || this.list(buildAnnotation.previousNames).includes(name);
  }

  get originalId(): ResourceId {
    return this.previousIds[0] ?? this.id;
  }

  /** Takes away what the build alone needs. */
  removeBuildAnnotations(): void {
    const { annotations } = this;
    if (annotations.size === 0) return;
    for (const key of removedAnnotations) annotations.delete(key);
    this.annotations = annotations;
  }

  /**
   * What a generated resource that merges with or replaces another takes from it: labels, annotations (its own win), name and
   * namespace.
   */
  copyMetadataFrom(other: Resource): void {
    this.labels = new Map([...other.labels, ...this.labels]);
    const own = this.annotations;
    const theirs = other.annotations;
    const merged = new Map([...theirs, ...own]);
    for (const key of removedAnnotations) {
      const value = theirs.get(key);
      if (value === undefined) merged.delete(key);
      else merged.set(key, value);
    }
    if (!own.has(buildAnnotation.hashSuffix)) merged.delete(buildAnnotation.hashSuffix);
    this.annotations = merged;
    this.name = other.name;
    this.namespace = other.namespace;
    this.varNames = [...other.varNames];
  }

  get originText(): string | undefined {
    return this.annotation(originAnnotation);
  }

  /** `sigs.k8s.io/yaml` text. */
  asYaml(): string {
    return printYaml(toValue(this.node));
  }

  /** JSON on one line, as messages show a resource. */
  asJson(): string {
    return formatJson(toValue(this.node));
  }
}
