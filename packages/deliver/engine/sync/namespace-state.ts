import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { conditionsOf } from '../health/conditions.ts';
import type { StepRequest } from './step-request.ts';

/** A refusal since the namespace is being deleted, with what keeps the namespace: what its own conditions say. */
export async function withNamespaceState(
  diagnosis: Diagnosis,
  namespace: string,
  { client, signal }: Pick<StepRequest, 'client' | 'signal'>,
): Promise<Diagnosis> {
  if (diagnosis.code !== 'NamespaceTerminating' || !namespace) return diagnosis;
  try {
    const found = await client.find({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
    const keeping = found ? conditionsOf(found).filter(({ status }) => status === 'True') : [];
    const evidence = keeping.map(({ type, message }) => ({ name: type, value: message }));
    return { ...diagnosis, evidence: [...diagnosis.evidence, ...evidence] };
  } catch (error) {
    signal.throwIfAborted();
    // it only adds to what is known
    if (error instanceof DiagnosisError) return diagnosis;
    throw error;
  }
}
