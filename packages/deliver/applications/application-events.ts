import type { Application } from '@tiphys/api';
import { EventRecorder } from '@tiphys/controller';
import type { ApplicationsOptions } from './options.ts';
import type { EffectiveProject } from './projects/project-directory.ts';
import { enabledEvents } from './settings/enabled-events.ts';
import { eventLabels } from './settings/event-labels.ts';
import type { ApplicationSettings } from './settings/settings.ts';

interface Parts extends Pick<ApplicationsOptions, 'client' | 'clock' | 'onError' | 'enabledEvents' | 'signal'> {
  readonly settings: () => ApplicationSettings;
  readonly project: (name: string) => EffectiveProject | undefined;
  /** Applications that wait for a worker. */
  readonly waiting: () => number;
}

/** More applications that wait for a worker than so are a crowd, which goes before the Events about it. */
const crowd = 50;

/** Writes the Events of Applications, with the labels and annotations that the settings ask for. */
export function applicationEvents({
  client,
  clock,
  onError,
  enabledEvents: enabled,
  signal,
  settings,
  project,
  waiting,
}: Parts) {
  return new EventRecorder<Application>({
    client: client.as({ component: 'controller', purpose: 'events' }),
    clock,
    component: 'argocd-application-controller',
    onError: (error) => onError('events', error),
    labels: (application) => eventLabels(application, project(application.spec.project || 'default'), settings().data),
    annotations: ({ spec }) => ({
      'dest-server': spec?.destination?.server ?? '',
      'dest-namespace': spec?.destination?.namespace ?? '',
    }),
    enabled: enabledEvents(enabled),
    pressed: () => waiting() > crowd,
    signal,
  });
}
