import type { Container } from '@tiphys/kube-controllers';
import type { ContainerBehavior } from './pod-behavior.ts';
import { printed, type Script } from './shell-script.ts';

/** When a simulated program ends by itself; undefined for never. */
export function programEnd({ exit, steps }: Script, startedAt: number): number | undefined {
  if (exit === undefined) return undefined;
  return startedAt + steps.reduce((sum, step) => sum + ('wait' in step ? step.wait : 0), 0);
}

/** What it ends with when the node asks it to. */
export function exitOnTerm({ onTerm = 137 }: Script): number {
  return onTerm === 'ignored' ? 137 : onTerm;
}

/** What a container says about its end: what it wrote for that, or else its log where it asks for that. */
export function lastWords(container: Container, script: Script, exitCode: number): { message: string } | undefined {
  if (script.message) return { message: script.message };
  if (exitCode === 0 || container.terminationMessagePolicy !== 'FallbackToLogsOnError') return undefined;
  const message = printed(script).slice(-80).join('').slice(-2048);
  return message ? { message } : undefined;
}

/** When a simulated program that gets the signal to end has ended, and with what: it is killed if it takes too long. */
export function stoppedProgram(
  { script: { onTerm = 143 }, stopDelay }: ContainerBehavior,
  signalAt: number,
  killAt: number,
): { at: number; exitCode: number } {
  const goesAt = onTerm === 'ignored' ? Number.POSITIVE_INFINITY : signalAt + stopDelay;
  return { at: Math.min(goesAt, killAt), exitCode: onTerm === 'ignored' || killAt < goesAt ? 137 : onTerm };
}
