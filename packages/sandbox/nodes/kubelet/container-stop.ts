import type { Container } from '@tiphys/kube-controllers';
import { shellScript } from './shell-script.ts';
import { programEnd } from './simulated-program.ts';

/** Least time between the signal to end and the kill, in milliseconds, as the kubelet grants it after a long preStop hook. */
const leastGrace = 2_000;

/** When a container that is told to end now gets the signal, and when it is killed; the grace in milliseconds. */
export function stopTimes(container: Container, now: number, grace: number): { signalAt: number; killAt: number } {
  const hook = preStopTime(container);
  return {
    signalAt: now + Math.min(hook, grace),
    killAt: now + (hook >= grace && hook > 0 ? grace + leastGrace : grace),
  };
}

/** How long a simulated preStop hook takes, in milliseconds; infinite for one that does not end. */
function preStopTime({ lifecycle }: Container): number {
  const { sleep, exec } = lifecycle?.preStop ?? {};
  if (sleep) return (sleep.seconds ?? 0) * 1000;
  if (!exec?.command) return 0;
  return programEnd(shellScript(exec.command, {}, true), 0) ?? Number.POSITIVE_INFINITY;
}
