import { existsSync, writeFileSync } from 'node:fs';
import { DiagnosisError } from '@tiphys/diagnosis';

const file = '/dev/termination-log';

/** Leaves a message where the kubelet takes it up into the status of the container; where there is no kubelet nobody reads it. */
export function writeTermination(message: string, env: NodeJS.ProcessEnv): void {
  const path = env.TIPHYS_TERMINATION_LOG ?? file;
  if (env.CONTAINER_ROOT || (path === file && !existsSync(file))) return;
  writeFileSync(path, message);
}

/** What went wrong, in one sentence. */
export function messageOf(error: unknown): string {
  if (error instanceof DiagnosisError) return error.diagnosis.message;
  return error instanceof Error ? error.message : String(error);
}
