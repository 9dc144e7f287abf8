import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shown } from './fault.ts';

/** What a fault of the table was shown as, for docs/diagnoses.md. */
export interface DiagnosisExample {
  readonly message: string;
  readonly evidence: readonly string[];
  readonly remedies: readonly string[];
}

const file = join(import.meta.dirname, 'examples.json');

/** By code; recorded by `TIPHYS_FAULTS_RECORD=1 npm run test:faults`. */
export function readExamples(): Record<string, DiagnosisExample> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, DiagnosisExample>) : {};
}

/** Keeps what a diagnosis looks like, with names of the test's own taken out; the first of a code stays. */
export function recordExample(shown: Shown): void {
  const examples = readExamples();
  if (examples[shown.code]) return;
  examples[shown.code] = {
    message: plain(shown.message),
    evidence: shown.evidence.map(({ name }) => plain(name)),
    remedies: shown.remedies.map(({ text, paste }) => plain(paste ? `${text}: ${paste}` : text)),
  };
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted)}\n`);
}

function plain(text: string): string {
  return text
    .replace(/target-[0-9a-f]{8}/g, 'shop')
    .replace(/control-[0-9a-f]{8}/g, 'argocd')
    .replace(/\/tmp\/tiphys-repository-\w+/g, 'https://git.example/shop.git')
    .replace(/http:\/\/127\.0\.0\.1:\d{4,}\/tiphys-repository-\w+/g, 'https://git.example/shop.git')
    .replace(/(127\.0\.0\.1|localhost)(:| port )\d{4,}/g, 'git.example')
    .replace(/\b[a-z]+\d*-\d+(-crds)?\b(?=[. ,)]|$)/g, (name, crds) =>
      /^(c|m|s|r)\d+-/.test(name) ? `shop${crds ?? ''}` : name,
    )
    .replace(/\b[0-9a-f]{40}\b/g, '4263c1f31e92027011811b20ce4928893d288e8b')
    .replace(/\b[0-9a-f]{7}\b(?= of )/g, '4263c1f')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00Z')
    .replace(/([a-z]+)-[0-9a-f]{8,10}-[a-z0-9]{5}/g, '$1-6d9f7c5b8-x2x4q')
    .replace(/\(\d+ ms\)/g, '(12 ms)');
}
