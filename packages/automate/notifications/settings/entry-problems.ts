import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { settingsInvalid } from '../model/diagnoses.ts';
import type { Condition } from '../model/notification.ts';
import type { Settings } from './settings.ts';

/** What the settings can be checked against without any object. */
export interface SettingsChecks {
  /** What keeps a service from sending, as far as its options say. */
  serviceProblem(name: string): Diagnosis | undefined;
  triggerProblem(name: string): Diagnosis | undefined;
  /** Of the expressions of a trigger of the settings. */
  expressionProblems(trigger: string): readonly Diagnosis[];
  templateProblem(name: string): Diagnosis | undefined;
}

/** Everything that is wrong with the entries of a ConfigMap of notifications and its Secret, each with its key. */
export function entryProblems(settings: Settings, checks: SettingsChecks): Diagnosis[] {
  const at = (key: string, diagnosis: Diagnosis): Diagnosis => ({
    ...diagnosis,
    message: `${key}: ${diagnosis.message}`,
    place: {
      object: `ConfigMap ${settings.namespace}/${settings.configMapName}`,
      field: `data["${key}"]${diagnosis.place?.field ? `.${diagnosis.place.field}` : ''}`,
    },
  });
  const told = (key: string, diagnosis: Diagnosis | undefined) => (diagnosis ? [at(key, diagnosis)] : []);
  const unknownTriggers = (key: string, names: readonly string[]) =>
    [...new Set(names)].flatMap((name) => told(key, checks.triggerProblem(name)));
  return [
    ...settings.problems,
    ...[...settings.services].flatMap(([name, { type, missing }]) => {
      const key = name === type ? `service.${type}` : `service.${type}.${name}`;
      // keys that are missing are among the problems of reading
      return missing.length > 0 ? [] : told(key, checks.serviceProblem(name));
    }),
    ...[...settings.triggers].flatMap(([name, conditions]) => [
      ...checks.expressionProblems(name).map((diagnosis) => at(`trigger.${name}`, diagnosis)),
      ...templatesOf(conditions).flatMap((template) => told(`trigger.${name}`, checks.templateProblem(template))),
    ]),
    ...[...settings.templates.keys()].flatMap((name) => told(`template.${name}`, checks.templateProblem(name))),
    ...unknownTriggers('defaultTriggers', settings.defaultTriggers),
    ...[...settings.serviceDefaultTriggers].flatMap(([service, names]) =>
      unknownTriggers(`defaultTriggers.${service}`, names),
    ),
    ...unknownTriggers(
      'subscriptions',
      settings.subscriptions.flatMap(({ triggers }) => triggers),
    ),
    ...settings.subscriptions
      .flatMap(({ recipients }) => recipients)
      .map((recipient) => recipient.split(':')[0] ?? '')
      .filter((service, index, all) => all.indexOf(service) === index && !settings.services.has(service))
      .flatMap((service) => told('subscriptions', checks.serviceProblem(service))),
    ...settings.unknownKeys.map((key) =>
      at(
        key,
        diagnose(settingsInvalid, {
          message: 'there is no entry of this name, so that it changes nothing',
          remedies: [
            'Entries are subscriptions, defaultTriggers, context, service.NAME, trigger.NAME, template.NAME and defaultTriggers.SERVICE',
          ],
        }),
      ),
    ),
  ];
}

const templatesOf = (conditions: readonly Condition[]) => [...new Set(conditions.flatMap(({ send }) => send))];
