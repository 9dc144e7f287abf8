/**
 * Records what kubectl prints on the cluster that TIPHYS_TEST_KUBECONFIG names, a real one with nodes:
 * `node test/kubectl/record.ts [REGEX]`, after a case was changed. Cases that REGEX does not match are kept.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { allCases } from './all-cases.ts';
import { type Printed, recordedFile, runCommands } from './run-commands.ts';

if (!process.env.TIPHYS_TEST_KUBECONFIG)
  throw new Error('Set TIPHYS_TEST_KUBECONFIG to the kubeconfig of a real cluster.');
const chosen = new RegExp(process.argv[2] ?? '');
const recorded: Record<string, Printed[]> = existsSync(recordedFile)
  ? JSON.parse(gunzipSync(readFileSync(recordedFile)).toString())
  : {};
for (const commands of allCases) if (chosen.test(commands.name)) recorded[commands.name] = await runCommands(commands);
const kept = Object.fromEntries(allCases.map(({ name }) => [name, recorded[name] ?? []]));
writeFileSync(recordedFile, gzipSync(JSON.stringify(kept), { level: 9 }));
