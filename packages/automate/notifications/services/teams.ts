import { failure } from '@tiphys/diagnosis';
import { refused } from '../model/diagnoses.ts';
import { type JsonMap, list, map, type Notification, text } from '../model/notification.ts';
import { hostOf } from './http.ts';
import { forRecipient, jsonField, missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

/** `teams`: webhooks of the old connectors, which take message cards. */
export const teams: ServiceFactory =
  (options) =>
  async (notification, destination, { http, signal }) => {
    const url = forRecipient(options.recipientUrls, destination, 'recipientUrls');
    const section = notification.sections.teams ?? {};
    const answer = await http.send({
      url,
      headers: { 'content-type': 'application/json' },
      body: text(section.template) || messageCard(notification, section),
      options,
      signal,
    });
    if (answer.text === '1') return;
    throw failure(
      refused,
      {
        message: `${hostOf(url)} does not take the card`,
        place: { remote: hostOf(url) },
        evidence: { answer: answer.text.slice(0, 500) },
        remedies: ['Correct the card of the template; connectors answer 1 for what they took'],
      },
      { handling: 'retryable' },
    );
  };

function messageCard({ message }: Notification, section: JsonMap): JsonMap {
  const sections = jsonField<JsonMap[]>(text(section.sections), 'teams.sections', []);
  const facts = jsonField<JsonMap[] | undefined>(text(section.facts), 'teams.facts', undefined);
  const actions = jsonField<JsonMap[]>(text(section.potentialAction), 'teams.potentialAction', []);
  const all = facts ? [...sections, { facts }] : sections;
  return {
    '@type': 'MessageCard',
    context: 'https://schema.org/extensions',
    title: text(section.title),
    summary: text(section.summary),
    text: text(section.text) || message,
    ...(text(section.themeColor) ? { themeColor: text(section.themeColor) } : {}),
    ...(actions.length > 0 ? { potentialAction: actions } : {}),
    ...(all.length > 0 ? { sections: all } : {}),
  };
}

const workflowsUrl =
  /api\.(?:powerautomate|powerplatform)\.com|flow\.microsoft\.com|webhook\.office\.com\/workflows|\/powerautomate\//i;

/** `teams-workflows`: webhooks of Power Automate, which take adaptive cards. */
export const teamsWorkflows: ServiceFactory =
  (options) =>
  async (notification, destination, { http, signal }) => {
    const url = forRecipient(options.recipientUrls, destination, 'recipientUrls');
    checkWorkflowsUrl(url);
    const section = notification.sections['teams-workflows'] ?? {};
    const content = text(section.adaptiveCard)
      ? jsonField<JsonMap>(text(section.adaptiveCard), 'teams-workflows.adaptiveCard', {})
      : adaptiveCard(notification, section);
    await http.send({
      url,
      body: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] },
      options,
      signal,
    });
  };

function checkWorkflowsUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(?:localhost|127\.)/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) || !workflowsUrl.test(text))
    throw missing(
      `The URL of the recipient (host ${url?.host ?? 'none'}) is no webhook of Teams Workflows`,
      'Use the HTTPS URL that Power Automate shows for the workflow',
    );
}

function adaptiveCard({ message }: Notification, section: JsonMap): JsonMap {
  const body: JsonMap[] = [];
  const title = text(section.title);
  const color = text(section.themeColor);
  if (title)
    body.push({
      type: 'TextBlock',
      text: title,
      size: 'Large',
      weight: 'Bolder',
      ...(color ? { color } : {}),
      wrap: true,
    });
  const shown = text(section.text) || message;
  if (shown) body.push({ type: 'TextBlock', text: shown, wrap: true });
  const facts = jsonField<JsonMap[]>(text(section.facts), 'teams-workflows.facts', []);
  const sections = jsonField<JsonMap[]>(text(section.sections), 'teams-workflows.sections', []);
  for (const group of [facts, ...sections.map((part) => list(part.facts).map(map))]) {
    const items = group.filter((fact) => typeof fact.name === 'string');
    if (items.length > 0)
      body.push({
        type: 'FactSet',
        facts: items.map((fact) => ({ title: text(fact.name), value: String(fact.value ?? '') })),
      });
  }
  const actions = jsonField<JsonMap[]>(text(section.potentialAction), 'teams-workflows.potentialAction', [])
    .filter((action) => action['@type'] === 'OpenUri')
    .map((action) => ({ title: text(action.name), url: text(map(list(action.targets)[0]).uri) }))
    .filter(({ url }) => url !== '')
    .map(({ title: name, url }) => ({ type: 'Action.OpenUrl', ...(name ? { title: name } : {}), url }));
  return { type: 'AdaptiveCard', version: '1.4', body, ...(actions.length > 0 ? { actions } : {}) };
}
