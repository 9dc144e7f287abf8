import { type Application, names } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import type { InformerChange } from '@tiphys/kubernetes';
import { type Dependents, dependenciesOf } from '../reconciliation/dependencies.ts';
import { applicationKey } from '../spec/application-key.ts';
import { sourcesOf } from '../spec/source-of.ts';
import { isNews } from '../steps/controller.ts';
import type { TriggerParts } from './trigger-parts.ts';

interface Parts extends TriggerParts {
  readonly dependents: Dependents;
  /** An application has left a project, which may have waited for that. */
  readonly onLeft: (project: string) => void;
}

/** A change of an Application wakes it, unless it is our own write, and those that depend on it. */
export function takeUpApplication(parts: Parts, change: InformerChange<Application>): void {
  const { type, object, old } = change;
  const { queue, store, repositories } = parts;
  const key = applicationKey(object);
  wakeDependents(parts, change, key);
  if (type === 'deleted') {
    repositories.leave(key);
    parts.onLeft(projectOf(object));
  } else repositories.follow(object);
  remember(parts, change, key);
  if (old && old.spec.project !== object.spec.project) parts.onLeft(projectOf(old));
  if (type !== 'updated' || !old) queue.add(key);
  else if (isNews(old, object)) store.unlessOwn(object, () => queue.add(key));
}

function wakeDependents(
  { dependents, queue }: Parts,
  { type, object, old }: InformerChange<Application>,
  key: string,
): void {
  dependents.note(key, type === 'deleted' ? undefined : object);
  for (const dependent of dependents.of(key)) if (concernsDependents(old, object, type)) queue.add(dependent);
  if (type === 'deleted') for (const name of dependenciesOf(object)) queue.add(name);
}

/** Notes when the sources became what they are and when a refresh was asked for. */
function remember(
  { controller, clock }: TriggerParts,
  { type, object, old }: InformerChange<Application>,
  key: string,
): void {
  const memory = controller.memoryOf(key);
  if (type === 'added' || (old && !deepEqual(sourcesOf(old.spec), sourcesOf(object.spec))))
    memory.sourcesChanged(clock.now());
  const asked = object.metadata.annotations?.[names.annotations.refresh];
  if (asked && asked !== old?.metadata.annotations?.[names.annotations.refresh]) memory.refreshAsked(clock.now());
  if (asked === 'hard' && !controller.delivers(object)) memory.hardRefresh = true;
}

/** Whether those that depend on an application may go on, or have to wait again. */
function concernsDependents(old: Application | undefined, now: Application, type: string): boolean {
  if (type !== 'updated' || !old) return true;
  const state = ({ status, operation }: Application) =>
    [status?.sync?.status, status?.health?.status, status?.operationState?.phase, operation !== undefined].join();
  return state(old) !== state(now);
}

function projectOf({ spec }: Application): string {
  return spec.project || 'default';
}
