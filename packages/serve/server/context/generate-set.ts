import type { ApplicationSet } from '@tiphys/api';
import type { GeneratedApplication } from '@tiphys/applicationsets';
import { formatDiagnosis } from '@tiphys/diagnosis';
import { Code, RpcError } from '../rpc/rpc-error.ts';
import type { ServerContext } from './server-context.ts';

/** What a set would make. Refuses with what failed first, and all causes in the details. */
export async function generateOrRefuse(
  { applicationSets }: ServerContext,
  set: ApplicationSet,
  signal: AbortSignal,
): Promise<readonly GeneratedApplication[]> {
  const { applications, failures } = await applicationSets.backend.generate(set, signal);
  const diagnoses = failures.map(({ diagnosis }) => diagnosis);
  const [first] = diagnoses;
  if (!first) return applications;
  throw new RpcError(
    Code.Unknown,
    `unable to generate Applications of ApplicationSet: error generating applications: ${formatDiagnosis(first)}`,
    { diagnoses },
  );
}
