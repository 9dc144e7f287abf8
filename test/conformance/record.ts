/** Records the answers of a real kube-apiserver: `node test/conformance/record.ts`, after a case was changed. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startControlPlane } from '../../scripts/control-plane.ts';
import { cases } from './cases.ts';
import { recordedFile } from './conformance.ts';
import { moreCases } from './more-cases.ts';
import { type Answer, runCase } from './run-case.ts';

const controlPlane = await startControlPlane({ controllers: false });
try {
  const recorded: Record<string, Answer[]> = {};
  for (const testCase of [...cases, ...moreCases])
    recorded[testCase.name] = await runCase(controlPlane.config, testCase);
  writeFileSync(recordedFile, gzipSync(JSON.stringify(recorded), { level: 9 }));
} finally {
  await controlPlane.stop();
}
