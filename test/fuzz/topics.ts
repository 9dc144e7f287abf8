import type { Step } from '../conformance/run-case.ts';
import type { Choices, SequenceMaker } from './choices.ts';
import { configuration, type FuzzKind, oddity, workloads } from './kinds.ts';
import { writeOf } from './writes.ts';

/** Writes of objects of one kind, so that they meet. */
const writesOf = (kinds: readonly FuzzKind[]) => (about: Choices) => {
  const kind = about.pick(kinds);
  return (choices: Choices) => writeOf(choices, kind);
};

/** What is written at random, by topic. */
export const topics: Readonly<Record<string, SequenceMaker<Step>>> = {
  workloads: writesOf(workloads),
  configuration: writesOf(configuration),
  'custom resources': writesOf([oddity]),
};
