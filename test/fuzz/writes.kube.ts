import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import fc from 'fast-check';
import { type ControlPlane, startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { send } from '../conformance/run-case.ts';
import { sequencesOf } from './choices.ts';
import { divergenceOf } from './compare.ts';
import { definition } from './kinds.ts';
import { topics } from './topics.ts';

/*
 * Random writes to the sandbox and to a real kube-apiserver without controllers: both must answer alike. FAST_CHECK_SEED
 * and FUZZ_RUNS look further; a failure prints the seed and the smallest sequence, to become a case of the conformance
 * suite.
 */

const { FAST_CHECK_SEED, FUZZ_RUNS } = process.env;

describe('random writes to the sandbox and to kube-apiserver', () => {
  let sandbox: Sandbox;
  let controlPlane: ControlPlane;
  before(async () => {
    [sandbox, controlPlane] = await Promise.all([
      startSandbox({ controllers: false, nodes: 0 }),
      startControlPlane({ controllers: false }),
    ]);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const config of [sandbox.config, controlPlane.config]) {
      await send(config, { method: 'POST', path, body: definition });
      const listed = () => send(config, { method: 'GET', path: '/apis/fuzz.example.com/v1/oddities' });
      while ((await listed()).code !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  after(async () => {
    await sandbox.close();
    await controlPlane.stop();
  });

  for (const [topic, { make, width = 1, ...known }] of Object.entries(topics))
    it(`end alike: ${topic}`, async () => {
      const property = fc.asyncProperty(sequencesOf(make, 8, width), async (steps) => {
        const divergence = await divergenceOf(sandbox.config, controlPlane.config, steps);
        if (divergence) assert.deepEqual(divergence.ours, divergence.theirs, JSON.stringify(divergence.step));
      });
      const seed = Number(FAST_CHECK_SEED ?? known.seed);
      await fc.assert(property, { seed, numRuns: Number(FUZZ_RUNS ?? known.numRuns) });
    });
});
