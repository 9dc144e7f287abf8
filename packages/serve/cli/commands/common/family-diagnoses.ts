import { explainDiagnosis, type ToldDiagnosis } from '@tiphys/diagnosis';
import { type Output, paint } from '../../terminal/output.ts';

/** Prints what is known to be wrong with an object of a family beside Applications: cause, place, evidence, remedies. */
export function printFamilyDiagnoses(output: Output, diagnoses: readonly ToldDiagnosis[]): void {
  for (const diagnosis of diagnoses) {
    output.out(`\n${paint(output, 'red', diagnosis.code)}: ${explainDiagnosis(diagnosis)}`);
    output.out(`  see docs/diagnoses.md#${diagnosis.code.toLowerCase()}`);
  }
}
