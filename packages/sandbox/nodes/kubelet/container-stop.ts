import type { Container } from '../../controllers/machinery/workload-model.ts';
import { shellScript } from './shell-script.ts';

/** How long a simulated preStop hook takes, in milliseconds; infinite for one that does not end. */
export function preStopTime({ lifecycle }: Container): number {
  const { sleep, exec } = lifecycle?.preStop ?? {};
  if (sleep) return (sleep.seconds ?? 0) * 1000;
  if (!exec?.command) return 0;
  const { steps, exit } = shellScript(exec.command, {}, true);
  if (exit === undefined) return Number.POSITIVE_INFINITY;
  return steps.reduce((sum, step) => sum + ('wait' in step ? step.wait : 0), 0);
}

/** Least time between the signal to end and the kill, in milliseconds, as the kubelet grants it after a long preStop hook. */
export const leastGrace = 2_000;
