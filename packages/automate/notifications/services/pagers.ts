import { list, map, strings, text, textMap } from '../model/notification.ts';
import { forRecipient, missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

/** Fields that have a text. */
const given = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** `opsgenie`: an alert for the team whose id is the recipient, with the recipient's key. */
export const opsgenie: ServiceFactory =
  (options) =>
  async (notification, destination, { id, http, signal }) => {
    const key = forRecipient(options.apiKeys, destination, 'apiKeys');
    const section = notification.sections.opsgenie;
    if (section && !text(section.description))
      throw missing('The template has no opsgenie.description', 'Give the template an opsgenie.description');
    const host = text(options.apiUrl) || 'api.opsgenie.com';
    const details = textMap(section?.details);
    const visibleTo = list(section?.visibleTo).map((item) => textMap(map(item)));
    await http.send({
      url: `${/^https?:\/\//.test(host) ? host.replace(/(?<!\/)\/+$/, '') : `https://${host}`}/v2/alerts`,
      headers: { authorization: `GenieKey ${key}` },
      body: {
        message: notification.message,
        ...given({
          description: text(section?.description),
          priority: text(section?.priority),
          note: text(section?.note),
          entity: text(section?.entity),
          user: text(section?.user),
        }),
        // an alert with the alias of one that is open is counted to it
        alias: text(section?.alias) || id,
        ...(strings(section?.actions).length > 0 ? { actions: strings(section?.actions) } : {}),
        ...(strings(section?.tags).length > 0 ? { tags: strings(section?.tags) } : {}),
        ...(Object.keys(details).length > 0 ? { details } : {}),
        ...(visibleTo.length > 0 ? { visibleTo } : {}),
        responders: [{ type: 'team', id: destination.recipient }],
        source: 'Argo CD',
      },
      options,
      signal,
    });
  };

/** `pagerduty`: an incident of the service whose id is the recipient. */
export const pagerduty: ServiceFactory =
  (options) =>
  async (notification, { recipient }, { id, http, signal }) => {
    const section = notification.sections.pagerduty;
    if (!section) throw missing('The template has no section pagerduty', 'Add the section pagerduty to the template');
    const priority = text(section.priorityId);
    await http.send({
      url: 'https://api.pagerduty.com/incidents',
      headers: {
        authorization: `Token token=${text(options.token)}`,
        accept: 'application/vnd.pagerduty+json;version=2',
        ...(text(options.from) ? { from: text(options.from) } : {}),
      },
      body: {
        incident: {
          type: 'incident',
          title: text(section.title),
          service: { id: recipient || text(options.serviceId), type: 'service_reference' },
          incident_key: id,
          body: { type: 'incident_body', details: text(section.body) },
          ...(text(section.urgency) ? { urgency: text(section.urgency) } : {}),
          ...(priority ? { priority: { id: priority, type: 'priority_reference' } } : {}),
        },
      },
      options,
      signal,
    });
  };

/** `pagerdutyv2`: an event for the routing key that the settings have for the recipient. */
export const pagerdutyv2: ServiceFactory =
  (options) =>
  async (notification, destination, { id, http, signal }) => {
    const section = notification.sections.pagerdutyv2;
    if (!section)
      throw missing('The template has no section pagerdutyv2', 'Add the section pagerdutyv2 to the template');
    await http.send({
      url: 'https://events.pagerduty.com/v2/enqueue',
      body: {
        routing_key: forRecipient(options.serviceKeys, destination, 'serviceKeys'),
        event_action: 'trigger',
        dedup_key: text(section.dedupKey) || id,
        client: 'ArgoCD',
        ...(text(section.url) ? { client_url: text(section.url) } : {}),
        payload: {
          summary: text(section.summary),
          severity: text(section.severity),
          source: text(section.source),
          ...given({ component: text(section.component), group: text(section.group), class: text(section.class) }),
        },
      },
      options,
      signal,
    });
  };
