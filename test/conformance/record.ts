/** Records the answers of a real kube-apiserver: `node test/conformance/record.ts`, after a case was changed. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startControlPlane } from '../../scripts/control-plane.ts';
import { allCases } from './all-cases.ts';
import { places, recordedFile } from './conformance.ts';
import { type Answer, runCase } from './run-case.ts';
import { startWebhookServer } from './webhook-server.ts';

const controlPlane = await startControlPlane({ controllers: false });
const webhooks = await startWebhookServer();
try {
  const recorded: Record<string, Answer[]> = {};
  for (const testCase of allCases)
    recorded[testCase.name] = await runCase(controlPlane.config, testCase, places(webhooks));
  writeFileSync(recordedFile, gzipSync(JSON.stringify(recorded), { level: 9 }));
} finally {
  await webhooks.close();
  await controlPlane.stop();
}
