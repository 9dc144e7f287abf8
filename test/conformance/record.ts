/**
 * Records the answers of a real kube-apiserver: `node test/conformance/record.ts`, after a case was changed. With a regular
 * expression, those of the cases that it matches; the others are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { allCases } from './all-cases.ts';
import { places, recordedFile } from './conformance.ts';
import { type Answer, runCase } from './run-case.ts';
import { startWebhookServer } from './webhook-server.ts';

const controlPlane = await startControlPlane({ controllers: false });
const webhooks = await startWebhookServer();
try {
  const chosen = new RegExp(process.argv[2] ?? '');
  const made: Record<string, Answer[]> = {};
  for (const testCase of allCases)
    if (chosen.test(testCase.name))
      made[testCase.name] = await runCase(controlPlane.config, testCase, places(webhooks));
  // Read last: another recording may have ended in the meantime.
  const known = JSON.parse(gunzipSync(readFileSync(recordedFile)).toString()) as Record<string, Answer[]>;
  const recorded = Object.fromEntries(
    allCases.flatMap(({ name }) => {
      const answers = made[name] ?? known[name];
      return answers ? [[name, answers]] : [];
    }),
  );
  writeFileSync(recordedFile, gzipSync(JSON.stringify(recorded), { level: 9 }));
} finally {
  await webhooks.close();
  await controlPlane.stop();
}
