import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { kubeconfigVariable } from '../e2e/support/cluster.ts';
import { allCases } from './all-cases.ts';
import { skip } from './kubectl.ts';
import { type Printed, recordedFile, runCommands } from './run-commands.ts';

/** What kubectl prints is the same on the sandbox and on a real kube-apiserver, of which it was recorded. */
const recorded = JSON.parse(gunzipSync(readFileSync(recordedFile)).toString()) as Record<string, Printed[]>;

describe('kubectl prints what it prints on a real kube-apiserver', { skip, concurrency: 2 }, () => {
  for (const commands of allCases)
    test(commands.name, async () => {
      const printed = await runCommands(commands);
      const expected = recorded[commands.name] ?? [];
      const isShared = process.env[kubeconfigVariable] !== undefined;
      const everywhere = commands.steps.flatMap((step) =>
        typeof step !== 'string' && step.everywhere ? [step.run] : [],
      );
      for (const [index, outcome] of printed.entries())
        if (!isShared || !everywhere.includes(outcome.run)) assert.deepEqual(outcome, expected[index]);
      assert.equal(printed.length, expected.length);
    });
});
