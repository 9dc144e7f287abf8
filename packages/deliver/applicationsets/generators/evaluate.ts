import type { ApplicationSetGenerator, ApplicationSetNestedGenerator, ApplicationSetTemplate } from '@tiphys/api';
import { failure, within } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { flattenToText } from '../params/flatten.ts';
import { fillEmpty } from '../params/merge.ts';
import type { Params } from '../params/params.ts';
import { compileSelector } from '../params/selector.ts';
import { clusterGenerator } from './clusters.ts';
import { decisionGenerator } from './decision-resource.ts';
import {
  type Generated,
  type Generator,
  type GeneratorContext,
  type GeneratorKind,
  kindsOf,
  templateOf,
} from './generator.ts';
import { gitGenerator } from './git.ts';
import { interpolate } from './interpolate.ts';
import { listGenerator } from './list.ts';
import { matrixElements } from './matrix.ts';
import { mergeElements } from './merge.ts';
import { pluginGenerator } from './plugin.ts';
import { pullRequestGenerator } from './pull-request.ts';
import { scmProviderGenerator } from './scm-provider.ts';
import type { GeneratorSources } from './sources.ts';

const terminals = {
  list: listGenerator,
  clusters: clusterGenerator,
  git: gitGenerator,
  scmProvider: scmProviderGenerator,
  clusterDecisionResource: decisionGenerator,
  pullRequest: pullRequestGenerator,
  plugin: pluginGenerator,
} as const;

/** Matrices and merges may hold one another once. */
const deepest = 2;

/** What one entry of `spec.generators` says, with the template that it lays over the one of the set. */
export interface Evaluated extends Generated {
  readonly template: ApplicationSetTemplate;
}

/** Evaluates an entry of `spec.generators`: one result for each kind that it has. Throws a diagnosis with the place. */
export async function evaluate(
  generator: ApplicationSetGenerator,
  context: GeneratorContext,
  field: string,
): Promise<Evaluated[]> {
  const results: Evaluated[] = [];
  for (const kind of required(generator, context, field)) {
    const { elements, gaps, notices = [] } = await select(generator, kind, context, { field, depth: 0 });
    const own = templateOf(generator, kind);
    results.push({
      elements,
      gaps,
      notices,
      template: own ? fillEmpty(own, context.set.spec.template) : context.set.spec.template,
    });
  }
  return results;
}

interface Level {
  readonly field: string;
  readonly depth: number;
  /** Of the first generator of a matrix. */
  readonly outer?: Params;
}

/** A generator inside of a matrix or a merge. */
async function evaluateNested(
  nested: ApplicationSetNestedGenerator,
  context: GeneratorContext,
  level: Level,
): Promise<Generated> {
  const generator = nested as ApplicationSetGenerator;
  const kinds = required(generator, context, level.field);
  if (kinds.length > 1)
    throw failure(generatorInvalid, {
      message: 'found more than one generator in matrix.Generators',
      place: { field: level.field },
      evidence: { generators: kinds.join(', ') },
      remedies: ['Give each entry one generator'],
    });
  return select(generator, kinds[0] as GeneratorKind, context, level);
}

function required(generator: ApplicationSetGenerator, _context: GeneratorContext, field: string): GeneratorKind[] {
  const kinds = kindsOf(generator);
  if (kinds.length > 0) return kinds;
  throw failure(generatorInvalid, {
    message: 'The entry has no generator that is known',
    place: { field },
    evidence: { fields: Object.keys(generator).join(', ') },
    remedies: [
      'Write one of list, clusters, git, matrix, merge, scmProvider, pullRequest, clusterDecisionResource, plugin',
    ],
  });
}

async function select(
  requested: ApplicationSetGenerator,
  kind: GeneratorKind,
  context: GeneratorContext,
  level: Level,
): Promise<Generated> {
  const matches = compileSelector(requested.selector, `${level.field}.selector`);
  const generator = level.outer ? interpolate(requested, level.outer, context.dialect) : requested;
  const generated = await generate(generator, kind, context, level);
  if (!requested.selector) return generated;
  return { ...generated, elements: generated.elements.filter(({ params }) => matches(flattenToText(params))) };
}

async function generate(
  generator: ApplicationSetGenerator,
  kind: GeneratorKind,
  context: GeneratorContext,
  { field, depth }: Level,
): Promise<Generated> {
  try {
    if (kind !== 'matrix' && kind !== 'merge')
      return await (terminals[kind] as Generator<unknown>).generate(generator[kind], context, field);
    if (depth >= deepest)
      throw failure(generatorInvalid, {
        message: `The ${kind} generator lies deeper than upstream permits: a matrix or merge may hold another one, and that no further`,
        place: { field },
        remedies: ['Write the inner combination as generators of its own'],
      });
    const children = (generator[kind]?.generators ?? []) as ApplicationSetNestedGenerator[];
    const inner = (index: number, outer?: Params) =>
      evaluateNested(children[index] as ApplicationSetNestedGenerator, context, {
        field: `${field}.${kind}.generators[${index}]`,
        depth: depth + 1,
        ...(outer ? { outer } : {}),
      });
    const combination = {
      field: `${field}.${kind}`,
      count: children.length,
      inner,
      goTemplate: context.dialect.goTemplate,
    };
    return kind === 'matrix'
      ? await matrixElements(combination)
      : await mergeElements({ ...combination, mergeKeys: generator.merge?.mergeKeys ?? [] });
  } catch (error) {
    throw within(error, { place: { field: `${field}.${kind}` } });
  }
}

/** The shortest time, in milliseconds, after which one of the generators wants to be asked again; undefined for none. */
export function requeueAfter(generator: ApplicationSetGenerator, sources: GeneratorSources): number | undefined {
  const times = kindsOf(generator).map((kind) => {
    if (kind !== 'matrix' && kind !== 'merge')
      return (terminals[kind] as Generator<unknown>).requeueAfter(generator[kind], sources);
    const children = (generator[kind]?.generators ?? []) as ApplicationSetGenerator[];
    return shortest(children.map((child) => requeueAfter(child, sources)));
  });
  return shortest(times);
}

function shortest(times: readonly (number | undefined)[]): number | undefined {
  const some = times.filter((time) => time !== undefined);
  return some.length === 0 ? undefined : Math.min(...some);
}
