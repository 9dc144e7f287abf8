import type { Step } from '../conformance/run-case.ts';
import type { Choices, SequenceMaker } from './choices.ts';
import { definitionSteps } from './definitions.ts';
import { fieldOf } from './fields.ts';
import { configuration, type FuzzKind, oddity, workloads } from './kinds.ts';
import { rareKinds } from './rare-kinds.ts';
import { writeOf } from './writes.ts';

/** Writes of objects of one kind, so that they meet. */
const writesOf = (kinds: readonly FuzzKind[]) => (about: Choices) => {
  const kind = about.pick(kinds);
  return (choices: Choices) => writeOf(choices, kind);
};

/** One odd field each, of any built-in kind. */
const fieldsOf = (kinds: readonly FuzzKind[]) => (about: Choices) => {
  const kind = about.pick(kinds);
  return (choices: Choices) => fieldOf(choices, kind);
};

/** What is written at random, and the sequences that are known to end alike: those of the seed, up to a number. */
export interface Topic {
  readonly make: SequenceMaker<Step>;
  /** How many numbers decide what a sequence is about. */
  readonly width?: number;
  readonly seed: number;
  readonly numRuns: number;
}

export const topics: Readonly<Record<string, Topic>> = {
  workloads: { make: writesOf(workloads), seed: 1, numRuns: 8 },
  configuration: { make: writesOf(configuration), seed: 6, numRuns: 28 },
  'rare kinds': { make: writesOf(rareKinds), seed: 1, numRuns: 60 },
  fields: { make: fieldsOf([...workloads, ...configuration, ...rareKinds]), seed: 1, numRuns: 45 },
  definitions: { make: definitionSteps, width: 300, seed: 2, numRuns: 25 },
  'custom resources': { make: writesOf([oddity]), seed: 1, numRuns: 46 },
};
