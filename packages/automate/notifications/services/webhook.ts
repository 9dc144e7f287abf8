import { list, map, text } from '../model/notification.ts';
import { missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

/** `webhook.NAME`: any HTTP request; the template's section has the service's name. */
export const webhook: ServiceFactory = (options) => {
  const base = text(options.url);
  if (!base) throw missing('The service webhook has no url', 'Set url');
  const basic = map(options.basicAuth);
  const headers: Record<string, string> = {};
  for (const header of list(options.headers).map(map)) headers[text(header.name).toLowerCase()] = text(header.value);
  if (options.basicAuth)
    headers.authorization = `Basic ${Buffer.from(`${text(basic.username)}:${text(basic.password)}`).toString('base64')}`;
  return async (notification, { service }, { id, http, signal }) => {
    const own = map(notification.sections.webhook?.[service]);
    const hasOwn = notification.sections.webhook?.[service] !== undefined;
    const path = text(own.path);
    await http.send({
      method: text(own.method) || 'GET',
      url: path ? `${base.replace(/(?<!\/)\/+$/, '')}/${path.replace(/^\/+/, '')}` : base,
      headers: { 'idempotency-key': id, ...headers },
      body: hasOwn ? text(own.body) : notification.message,
      options,
      signal,
    });
  };
};
