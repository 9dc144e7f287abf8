import type { HistoryRecord } from '@tiphys/history';
import type { UserAct } from './event-recorder.ts';

/** What a user did, as the history keeps it. */
export function actRecord({ application, user, action, object, time }: UserAct): HistoryRecord {
  const { metadata } = application;
  const spec = (application.spec ?? {}) as { project?: string; destination?: { namespace?: string } };
  return {
    time,
    once: `${metadata.uid}/act/${time}/${crypto.randomUUID()}`,
    kind: 'Acted',
    application: `${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    project: spec.project || 'default',
    namespace: spec.destination?.namespace ?? '',
    actor: user,
    summary: `${user} ${action}`,
    objects: object ? [object] : [],
    detail: {},
  };
}
