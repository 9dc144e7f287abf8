import { isDeepStrictEqual } from 'node:util';
import type { ClusterConfig } from '@tiphys/kubernetes';
import { type Step, StepRunner, send } from '../conformance/run-case.ts';

import { comparable } from './comparable.ts';

/** The first step that the two servers answer differently. */
export interface Divergence {
  readonly step: Step;
  readonly ours: unknown;
  readonly theirs: unknown;
}

let count = 0;

/** Sends the steps to both servers, in a namespace of their own, until an answer differs. */
export async function divergenceOf(
  ours: ClusterConfig,
  theirs: ClusterConfig,
  steps: readonly Step[],
): Promise<Divergence | undefined> {
  const namespace = `fuzz-${process.pid}-${count++}`;
  const runners = [ours, theirs].map((config) => new StepRunner(config, namespace));
  await Promise.all(runners.map((runner) => runner.start()));
  try {
    for (const step of steps) {
      const [mine, real] = await Promise.all(runners.map((runner) => runner.run(step)));
      if (!isDeepStrictEqual(comparable(mine), comparable(real)))
        return { step, ours: comparable(mine), theirs: comparable(real) };
    }
    return undefined;
  } finally {
    const path = `/api/v1/namespaces/${namespace}`;
    await Promise.all([ours, theirs].map((config) => send(config, { method: 'DELETE', path })));
  }
}
