import { RE2JS, RE2JSSyntaxException } from 're2js';
import { GoError } from '../failure/go-error.ts';
import type { Gvk } from '../kustomization/gvk.ts';
import type { Selector } from '../kustomization/kustomization.ts';
import { parseSelector } from './label-selector.ts';
import type { Resource } from './resource.ts';
import { effectiveNamespace, type ResourceId } from './resource-id.ts';

type Matches = (text: string) => boolean;

/** A selector whose parts are patterns for whole words; a part that is not set matches any. */
export class SelectorPattern {
  readonly #group: Matches;
  readonly #version: Matches;
  readonly #kind: Matches;
  readonly #name: Matches;
  readonly #namespace: Matches;

  /** Throws GoError for what is no pattern. */
  constructor(selector: Selector) {
    this.#group = pattern(selector.group);
    this.#version = pattern(selector.version);
    this.#kind = pattern(selector.kind);
    this.#name = pattern(selector.name);
    this.#namespace = pattern(selector.namespace);
  }

  matchesGvk({ group, version, kind }: Gvk): boolean {
    return this.#group(group) && this.#version(version) && this.#kind(kind);
  }

  matchesName(name: string): boolean {
    return this.#name(name);
  }

  matchesNamespace(namespace: string): boolean {
    return this.#namespace(namespace);
  }

  matchesId(id: ResourceId): boolean {
    return this.matchesGvk(id) && this.#name(id.name) && this.#namespace(id.namespace);
  }
}

const always: Matches = () => true;

function pattern(text: string | undefined): Matches {
  if (text === undefined || text === '') return always;
  if (isLiteral(text)) return (value) => value === text;
  const compiled = compilePattern(`^(?:${text})$`);
  return (value) => compiled.matcher(value).find();
}

/** A pattern that is nothing but its text. */
export function isLiteral(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

const compiledPatterns = new Map<string, RE2JS>();

/** `regexp.Compile`. */
export function compilePattern(text: string): RE2JS {
  const known = compiledPatterns.get(text);
  if (known) return known;
  try {
    const compiled = RE2JS.compile(text);
    if (compiledPatterns.size > 1000) compiledPatterns.clear();
    compiledPatterns.set(text, compiled);
    return compiled;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new GoError(`error parsing regexp: ${error.getDescription()}: \`${error.getPattern() ?? text}\``, {
      remedies: ['Correct the pattern: it has the syntax of RE2'],
    });
  }
}

/**
 * The resources that a patch's target selects: by the name and namespace that they have or had at first, the kind that they
 * have, labels and annotations. Throws GoError for a selector that can not be read.
 */
export function selectResources(resources: readonly Resource[], selector: Selector): Resource[] {
  const matches = new SelectorPattern(selector);
  const { labelSelector = '', annotationSelector = '' } = selector;
  const selected: Resource[] = [];
  for (const resource of resources) {
    const { id, originalId } = resource;
    if (!matches.matchesNamespace(effectiveNamespace(originalId)) && !matches.matchesNamespace(effectiveNamespace(id)))
      continue;
    if (!matches.matchesName(originalId.name) && !matches.matchesName(id.name)) continue;
    if (!matches.matchesGvk(id)) continue;
    // Read here, as a selector that can not be read is told only where it counts.
    if (!parseSelector(labelSelector)(resource.labels)) continue;
    if (!parseSelector(annotationSelector)(resource.annotations)) continue;
    selected.push(resource);
  }
  return selected;
}
