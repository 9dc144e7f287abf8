import type { Application } from '@tiphys/api';
import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';
import { type Output, paint } from '../../terminal/output.ts';

interface Told extends Diagnosis {
  readonly condition?: string;
}

/** What an application tells of itself that is no failure: it is told in another colour. */
const informative = ['GeneratedValuesDiffer', 'GeneratedCertificateExpires', 'LookupRefused', 'LocalManifestsLive'];

/** Conditions that tell of no failure. */
const mild = ['OperationWaiting', 'ServerWarning'];

/** Prints all that is known to be wrong with an application, or worth knowing: cause, place, evidence, remedies. */
export function printDiagnoses(output: Output, { status }: Application): void {
  const diagnoses = (status?.diagnoses ?? []) as unknown as Told[];
  const texts = new Set<string>();
  for (const diagnosis of diagnoses) {
    const text = explainDiagnosis(diagnosis);
    // a failure may be told by several conditions: of the spec, and of the operation that met it
    if (texts.has(text)) continue;
    texts.add(text);
    const colour = informative.includes(diagnosis.code) || mild.includes(diagnosis.condition ?? '') ? 'cyan' : 'red';
    output.out(`\n${paint(output, colour, diagnosis.code)}: ${text}`);
    output.out(`  see docs/diagnoses.md#${diagnosis.code.toLowerCase()}`);
  }
  // what another controller wrote, or an older version
  for (const { type, message } of status?.conditions ?? [])
    if (!texts.has(message)) output.out(`\n${paint(output, 'red', type)}: ${message}`);
}
