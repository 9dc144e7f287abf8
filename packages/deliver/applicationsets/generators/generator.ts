import type { ApplicationSet, ApplicationSetGenerator, ApplicationSetTemplate } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { Element } from '../params/params.ts';
import type { TemplateDialect } from '../template/replace.ts';
import type { GeneratorSources } from './sources.ts';

/** What a generator says: elements, and why some may be lacking. */
export interface Generated {
  readonly elements: readonly Element[];
  /** Reasons why the result may be incomplete; nothing may be deleted then. Empty for a whole one. */
  readonly gaps: readonly Diagnosis[];
  /** What is worth knowing although it is whole. */
  readonly notices?: readonly Diagnosis[];
}

export interface GeneratorContext {
  readonly set: ApplicationSet;
  readonly dialect: TemplateDialect;
  readonly sources: GeneratorSources;
  /** Somebody asked for a look at the sources themselves, past every cache. */
  readonly refresh: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One kind of generator that reads a source; matrix and merge combine others and are apart. */
export interface Generator<S> {
  generate(spec: S, context: GeneratorContext, field: string): Promise<Generated>;
  /** Milliseconds after which the source is looked at again; undefined if it tells of changes itself. */
  requeueAfter(spec: S, sources: GeneratorSources): number | undefined;
}

/** Generators that read a source, by their fields. The order is that in which those of one entry are evaluated. */
export const terminalKinds = [
  'list',
  'clusters',
  'git',
  'scmProvider',
  'clusterDecisionResource',
  'pullRequest',
  'plugin',
] as const;

/** All kinds, in the order in which those of one entry are evaluated. */
export const generatorKinds = [
  'list',
  'clusters',
  'git',
  'scmProvider',
  'clusterDecisionResource',
  'pullRequest',
  'matrix',
  'merge',
  'plugin',
] as const;

export type GeneratorKind = (typeof generatorKinds)[number];

/** The kinds that an entry has. */
export function kindsOf(generator: ApplicationSetGenerator): GeneratorKind[] {
  return generatorKinds.filter((kind) => generator[kind] !== undefined && generator[kind] !== null);
}

/** The template that an entry lays over the one of the set, if it has one. */
export function templateOf(
  generator: ApplicationSetGenerator,
  kind: GeneratorKind,
): ApplicationSetTemplate | undefined {
  return (generator[kind] as { template?: ApplicationSetTemplate } | undefined)?.template;
}
