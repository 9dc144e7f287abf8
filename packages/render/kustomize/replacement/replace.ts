import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import { isSelected } from '../kustomization/gvk.ts';
import type { FieldOptions, Replacement, Selector } from '../kustomization/kustomization.ts';
import { parseSelector } from '../resource/label-selector.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import { effectiveNamespace, formatId, type ResourceId } from '../resource/resource-id.ts';
import { near } from '../resource/resource-map.ts';
import { SelectorPattern } from '../resource/selector-pattern.ts';
import { onResource } from '../transform/field-spec.ts';
import { refuseHuge, refuseLongText } from '../tree/bounded-size.ts';
import { lookup } from '../tree/fields.ts';
import { Node } from '../tree/node.ts';
import { copyValue } from './copy-value.ts';
import { matchPath } from './match-path.ts';
import { setInStructuredText } from './set-in-text.ts';
import { splitFieldPath } from './split-path.ts';

export interface PlacedReplacement {
  readonly replacement: Replacement;
  /** For the nodes that it writes. */
  readonly stamp: Stamp;
}

type Source = NonNullable<Replacement['source']>;
type Target = NonNullable<Replacement['targets']>[number];

const defaultPath = 'metadata.name';

/** Copies the value of the source to all fields of the targets. Throws GoError if there is no such source or field. */
export function replace(resources: readonly Resource[], { replacement, stamp }: PlacedReplacement): void {
  const { source, sourceValue, targets } = replacement;
  if ((sourceValue === undefined && source === undefined) || targets === undefined)
    throw new GoError('replacements must specify a source and at least one target');
  if (sourceValue !== undefined && source !== undefined)
    throw new GoError('value and resource selectors are mutually exclusive', {
      remedies: ['Remove source or sourceValue'],
    });
  const value = source === undefined ? Node.scalar(sourceValue as string) : sourceValueOf(resources, source);
  for (const target of targets) new TargetSetter(target, value, stamp).apply(resources);
}

function sourceValueOf(resources: readonly Resource[], source: Source): Node {
  const resource = sourceResource(resources, source);
  const path = source.fieldPath || defaultPath;
  let found: Node | undefined;
  try {
    found = lookup(resource.node, ...splitFieldPath(path));
  } catch (error) {
    throw wrapped(error, 'error looking up replacement source');
  }
  if (found === undefined || found.isEmpty)
    throw new GoError(`fieldPath \`${path}\` is missing for replacement source ${formatId(asId(source))}`, {
      evidence: { source: formatId(resource.id), ...nearestField(resource.node, path) },
    });
  return refined(source.options, found);
}

/** How far a path leads. */
function nearestField(node: Node, path: string): Record<string, string> {
  let at = node;
  const seen: string[] = [];
  for (const part of splitFieldPath(path)) {
    let next: Node | undefined;
    try {
      next = lookup(at, part);
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
    }
    if (next === undefined) break;
    seen.push(part);
    at = next;
  }
  return {
    'leads as far as': seen.join('.') || '(the object)',
    ...(at.kind === 'map' ? { 'there is': at.keys().join(', ') || 'an empty map' } : {}),
    ...(at.kind === 'list' ? { 'there is': describeList(at) } : {}),
  };
}

function describeList(list: Node): string {
  const names = list.content.flatMap((item) => (item.kind === 'map' ? (item.get('name')?.value ?? []) : []));
  return `a list of ${list.content.length}${names.length > 0 ? `: ${names.slice(0, 10).join(', ')}` : ''}`;
}

function asId(source: Source): ResourceId {
  const { group = '', version = '', kind = '', name = '', namespace = '' } = source;
  return { group, version, kind, name, namespace, clusterScoped: false };
}

function sourceResource(resources: readonly Resource[], source: Source): Resource {
  const wanted = asId(source);
  const matches = (id: ResourceId): boolean =>
    (wanted.name === '' || wanted.name === id.name) &&
    (wanted.namespace === '' || effectiveNamespace(wanted) === effectiveNamespace(id)) &&
    isSelected(id, wanted);
  const found = resources.filter((resource) => idsOf(resource).some(matches));
  if (found.length > 1)
    throw new GoError(`multiple matches for selector ${formatSource(source)}`, {
      evidence: { matches: found.map((resource) => formatId(resource.id)).join(', ') },
      remedies: ['Add what tells them apart to the source: kind, name, namespace'],
    });
  if (found[0]) return found[0];
  throw new GoError(`nothing selected by ${formatSource(source)}`, { evidence: near(wanted, resources) });
}

function idsOf(resource: Resource): readonly ResourceId[] {
  // Kustomize does not look up scopes for these.
  return [{ ...resource.id, clusterScoped: false }, ...resource.previousIds];
}

function formatSource(source: Source): string {
  const { options } = source;
  const shown = [formatId(asId(source))];
  if (source.fieldPath) shown.push(source.fieldPath);
  if (options?.delimiter || options?.create)
    shown.push(`${options.delimiter ?? ''}(${options.index ?? 0}), create=${options.create ?? false}`);
  return shown.join(':');
}

/** One part of the value, if there is a delimiter. */
function refined(options: FieldOptions | undefined, node: Node): Node {
  if (!options?.delimiter) return node;
  if (node.kind !== 'scalar') throw new GoError('delimiter option can only be used with scalar nodes');
  const text = node.isNull ? '' : node.value;
  const parts = text.split(options.delimiter);
  const index = options.index ?? 0;
  const part = parts[index];
  if (part === undefined) throw new GoError(`options.index ${index} is out of bounds for value ${text}`);
  const copy = node.copy();
  copy.value = part;
  return copy;
}

class TargetSetter {
  readonly #target: Target;
  readonly #select: Selector;
  readonly #value: Node;
  readonly #stamp: Stamp;
  readonly #selects: SelectorPattern;
  readonly #rejects: readonly { selector: Selector; matches: SelectorPattern }[];

  constructor(target: Target, value: Node, stamp: Stamp) {
    if (target.select === undefined) throw new GoError('target must specify resources to select');
    this.#target = target;
    this.#select = target.select;
    this.#value = value;
    this.#stamp = stamp;
    try {
      this.#selects = new SelectorPattern(target.select);
      this.#rejects = (target.reject ?? []).map((selector) => ({ selector, matches: new SelectorPattern(selector) }));
    } catch (error) {
      throw wrapped(error, 'error creating target selector');
    }
  }

  apply(resources: readonly Resource[]): void {
    for (const resource of resources) {
      const ids = idsOf(resource);
      if (!this.#passesLabels(resource) || this.#isRejected(ids)) continue;
      if (ids.some((id) => this.#selects.matchesId(id))) onResource(resource, () => this.#set(resource.node));
    }
  }

  #passesLabels(resource: Resource): boolean {
    if (!hasLabels(resource, this.#select)) return false;
    return !(this.#target.reject ?? []).some(
      (reject) => (reject.annotationSelector || reject.labelSelector) && hasLabels(resource, reject),
    );
  }

  #isRejected(ids: readonly ResourceId[]): boolean {
    return this.#rejects.some(
      ({ selector: { group, version, kind, name, namespace }, matches }) =>
        (group || version || kind || name || namespace) && ids.some((id) => matches.matchesId(id)),
    );
  }

  #set(root: Node): void {
    const paths = this.#target.fieldPaths?.length ? this.#target.fieldPaths : [defaultPath];
    const create = this.#target.options?.create ? this.#value.kind : undefined;
    for (const path of paths) {
      const parts = splitFieldPath(path);
      if (setInStructuredText({ root, parts, value: this.#value, create, stamp: this.#stamp })) continue;
      let fields: Node[];
      const failed = `unable to find ${create ? 'or create ' : ''}field ${JSON.stringify(path)} in replacement target`;
      try {
        fields = matchPath(root, parts, create);
      } catch (error) {
        throw reworded(error, `${failed}: ${goMessageOf(error)}`, { evidence: nearestField(root, path) });
      }
      if (fields.length === 0)
        throw new GoError(failed, {
          evidence: nearestField(root, path),
          remedies: ['Correct the path, or set options.create: true to add the field'],
        });
      for (const field of fields) this.#setField(field);
      if (this.#value.content.length > 0) refuseHuge(root);
    }
  }

  #setField(field: Node): void {
    const value = this.#value.copy();
    const { delimiter, index = 0 } = this.#target.options ?? {};
    if (delimiter) {
      if (field.kind !== 'scalar') throw new GoError('delimiter option can only be used with scalar nodes');
      const parts = field.value.split(delimiter);
      const own = value.isNull ? '' : value.value;
      if (index < 0) parts.unshift(own);
      else if (index >= parts.length) parts.push(own);
      else parts[index] = own;
      value.value = parts.join(delimiter);
      refuseLongText(value.value);
    }
    copyValue(field, value, this.#stamp);
  }
}

function hasLabels(resource: Resource, { annotationSelector = '', labelSelector = '' }: Selector): boolean {
  const annotations = parseSelector(annotationSelector)(resource.annotations);
  return parseSelector(labelSelector)(resource.labels) && annotations;
}
