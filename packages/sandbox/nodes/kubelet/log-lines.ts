import type { Container } from '@tiphys/kube-controllers';
import { type ContainerBehavior, fullImageName } from './pod-behavior.ts';

export interface LogLine {
  /** When it was printed, in milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

const most = 100_000;

/** What a container printed from its start up to a time. One that runs an unknown program says that it started. */
export function linesUntil(
  { container, behavior: { script } }: { container: Container; behavior: ContainerBehavior },
  span: { startedAt: number; finishedAt: number | undefined },
  now: number,
): LogLine[] {
  const lines: LogLine[] = [];
  const end = Math.min(now, span.finishedAt ?? now);
  let at = span.startedAt;
  const play = (steps: typeof script.steps) => {
    for (const step of steps) {
      if (at > end || lines.length >= most) return;
      if ('print' in step) lines.push({ at, text: step.print });
      else at += step.wait;
    }
  };
  if (script.steps.length === 0 && !script.loop)
    lines.push({ at, text: `${container.name}: started ${fullImageName(container.image ?? '')}` });
  play(script.steps);
  while (script.loop && at <= end && lines.length < most) play(script.loop);
  return lines;
}
