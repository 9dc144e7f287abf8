import { parseYaml } from '@tiphys/yaml';
import { type Condition, type Json, type JsonMap, list, map, text, textMap } from '../model/notification.ts';
import { type Draft, globalSubscription, type SettingsSource } from './read-settings.ts';

type Apply = (draft: Draft) => void;

/** The settings of the first releases, `config.yaml` and the Secret's `notifiers.yaml`, by the key that holds them. */
export function applyLegacy({ configMap, secret }: SettingsSource): [string, Apply][] {
  const out: [string, Apply][] = [];
  const notifiers = secret.get('notifiers.yaml');
  if (notifiers) out.push(['notifiers.yaml', (draft) => services(draft, map(parse(notifiers)))]);
  const config = configMap.get('config.yaml');
  if (config) out.push(['config.yaml', (draft) => settings(draft, map(parse(config)))]);
  return out;
}

const parse = (document: string): Json => parseYaml(document) as Json;

function services(draft: Draft, found: JsonMap): void {
  for (const type of ['email', 'slack', 'grafana', 'opsgenie'])
    if (found[type]) draft.services.set(type, { type, options: map(found[type]), missing: [] });
  for (const webhook of list(found.webhook).map(map))
    draft.services.set(text(webhook.name), { type: 'webhook', options: webhook, missing: [] });
}

function settings(draft: Draft, found: JsonMap): void {
  Object.assign(draft.context, textMap(found.context));
  if (found.subscriptions) draft.subscriptions = list(found.subscriptions).map(globalSubscription);
  for (const entry of list(found.templates).map(map)) {
    const { name, subject, body, ...rest } = entry;
    const template: JsonMap = { ...draft.templates.get(text(name)), ...rest };
    if (text(subject)) template.email = { ...map(template.email), subject: text(subject) };
    if (text(body)) template.message = text(body);
    draft.templates.set(text(name), template);
  }
  for (const entry of list(found.triggers).map(map)) trigger(draft, entry);
}

function trigger(draft: Draft, entry: JsonMap): void {
  const name = text(entry.name);
  if (entry.enabled === true) draft.defaultTriggers.push(name);
  const [first, ...rest] = draft.triggers.get(name) ?? [];
  const changed: Condition = {
    when: text(entry.condition) || (first?.when ?? ''),
    send: text(entry.template) ? [text(entry.template)] : (first?.send ?? []),
    description: text(entry.description) || (first?.description ?? ''),
    oncePer: first?.oncePer ?? '',
  };
  draft.triggers.set(name, [changed, ...rest]);
}
