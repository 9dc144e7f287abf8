import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import type { RenderCaller } from '../turns/render-turns.ts';
import { renderWaits } from './diagnoses.ts';
import type { RenderRequest } from './rendered.ts';

/** What a render says of itself to those who share out the threads. */
export interface TurnRequest {
  readonly caller: RenderCaller;
  /** Told once if it waits for long, with the renders that it waits for, by project. */
  readonly onWait?: ((ahead: ReadonlyMap<string, number>) => void) | undefined;
}

/** The same of what an application asks for. */
export function turnRequest({ application, onWait }: RenderRequest): TurnRequest {
  const { namespace, name, project } = application;
  return {
    caller: { project, work: `${namespace}/${name}` },
    onWait: onWait && ((ahead) => onWait(waitingFor(ahead))),
  };
}

function waitingFor(ahead: ReadonlyMap<string, number>): Diagnosis {
  const told = [...ahead]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([project, count]) => `${count} ${count === 1 ? 'render' : 'renders'} of project ${project}`);
  return diagnose(renderWaits, {
    message: `The render waits for ${told.join(', ')}`,
    place: { field: 'spec.project' },
    remedies: [
      'Wait: what runs for long gives way by itself',
      'Give the project a greater weight, or others a limit: tiphys.render.weights and tiphys.render.limits of argocd-cmd-params-cm',
    ],
  });
}
