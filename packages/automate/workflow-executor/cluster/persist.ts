import { DiagnosisError } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { say } from '../pod/say.ts';
import { messageOf } from '../pod/termination-log.ts';

/** Tries until it works or fails for good: a report that is lost would leave its workflow waiting. */
export async function persist<T>(what: string, attempt: () => Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T> {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30_000)) {
    try {
      return await attempt();
    } catch (error) {
      // servers that are away, busy or being replaced
      const isPassing = error instanceof DiagnosisError && error.handling === 'retryable';
      if (!isPassing) throw error;
      say(`cannot ${what}, trying again: ${messageOf(error)}`, 'warning');
      await clock.sleep(wait * (0.9 + Math.random() * 0.2));
    }
  }
}
