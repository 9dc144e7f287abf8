import { DiagnosisError } from '@tiphys/diagnosis';
import { emptyCatalogue } from '../catalog/catalogue.ts';
import { Engine } from '../controller/engine.ts';
import { stateKey } from '../controller/notified-state.ts';
import type { JsonMap } from '../model/notification.ts';
import { readSettings } from '../settings/read-settings.ts';
import { destinationsOf } from '../subscriptions/subscriptions.ts';
import { Variables } from '../variables/variables.ts';
import type { Question } from './table.ts';

/** Keys of what would be told, and the notification; an error only as such, since its words differ. */
export interface Answer {
  readonly told: readonly string[];
  readonly notification?: JsonMap;
  readonly failed: boolean;
}

/** What we answer. */
export async function answer({ config, object, templates = [] }: Question): Promise<Answer> {
  const settings = readSettings({
    namespace: 'argocd',
    isSelfService: false,
    configMapName: 'cm',
    secretName: 'secret',
    configMap: new Map(Object.entries(config)),
    secret: new Map(),
  });
  const engine = new Engine(settings, emptyCatalogue);
  const metadata = object.metadata as { annotations: Record<string, string>; labels: Record<string, string> };
  const now = (): number => 0;
  const variables = new Variables({
    variable: 'app',
    object,
    settings,
    now,
    destination: { service: 'slack', recipient: 'ops' },
  });
  const told: string[] = [];
  const destinations = destinationsOf(settings, { prefix: 'notifications.argoproj.io', ...metadata });
  for (const [trigger, to] of destinations) {
    const results = await variables.read((values) => engine.trigger(trigger)?.evaluate(values, now) ?? []);
    for (const result of results)
      for (const destination of to) if (result.triggered) told.push(stateKey({ trigger, result, destination }));
  }
  told.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  if (templates.length === 0) return { told, failed: false };
  try {
    const { message, sections } = await engine.render(templates, variables);
    return { told, notification: { ...(message ? { message } : {}), ...sections }, failed: false };
  } catch (error) {
    if (error instanceof DiagnosisError) return { told, failed: true };
    throw error;
  }
}
