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

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definitionPath = (namespace: string) => `${DEFINITIONS}/things.${namespace}.fuzz.example.com`;
const isDefinition = ({ path }: Step): boolean => path === DEFINITIONS;

/** Waits until what a definition of `definitionFor` defines can be written. */
async function untilServed(config: ClusterConfig, namespace: string): Promise<void> {
  const path = `/apis/${namespace}.fuzz.example.com/v1/namespaces/${namespace}/things`;
  while ((await send(config, { method: 'GET', path })).code !== 200)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Removes what a sequence made outside of its namespace: a default class of priorities would be told in later ones. */
async function removeClusterWide(config: ClusterConfig, namespace: string, steps: readonly Step[]): Promise<void> {
  const paths = new Set(
    steps.flatMap((step) => {
      const [path = ''] = step.path.replaceAll('{ns}', namespace).split('?');
      const name = (step.body as { metadata?: { name?: string } } | undefined)?.metadata?.name;
      if (path.includes('/namespaces/') || path.endsWith('/customresourcedefinitions')) return [];
      if (step.method !== 'POST') return [path.replace(/\/(status|scale)$/, '')];
      return typeof name === 'string' && !path.endsWith('/namespaces')
        ? [`${path}/${encodeURIComponent(name.replaceAll('{ns}', namespace))}`]
        : [];
    }),
  );
  for (const path of paths) {
    const body = { metadata: { finalizers: null } };
    await send(config, { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    await send(config, { method: 'DELETE', path });
  }
}

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
      if (isDefinition(step)) {
        if (real?.code !== 201) return undefined;
        await Promise.all([ours, theirs].map((config) => untilServed(config, namespace)));
      }
    }
    return undefined;
  } finally {
    const path = `/api/v1/namespaces/${namespace}`;
    if (steps.some(isDefinition))
      await Promise.all(
        [ours, theirs].map((config) => send(config, { method: 'DELETE', path: definitionPath(namespace) })),
      );
    await Promise.all([ours, theirs].map((config) => send(config, { method: 'DELETE', path })));
    await Promise.all([ours, theirs].map((config) => removeClusterWide(config, namespace, steps)));
  }
}
