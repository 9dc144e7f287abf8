import { formatDiagnosis } from '@tiphys/diagnosis';
import type { ApplicationPlan } from '../../client/application-api.ts';
import { type Output, table } from '../../terminal/output.ts';

/** Prints on standard error what a sync would do to each object, in its order, and why it would be refused. */
export function printPlan(output: Output, { rows, refusals, summary }: ApplicationPlan): void {
  for (const refusal of refusals) output.error(formatDiagnosis(refusal));
  const lines = rows.map(({ phase, wave, kind, namespace, name, words, reason }) => [
    wave === undefined ? phase : `${phase} ${wave}`,
    kind,
    namespace ? `${namespace}/${name}` : name,
    words,
    reason,
  ]);
  output.error(table([['PHASE', 'KIND', 'NAME', 'WHAT', 'WHY'], ...lines]));
  output.error(summary);
}
