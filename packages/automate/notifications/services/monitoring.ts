import { failure } from '@tiphys/diagnosis';
import { unreachable } from '../model/diagnoses.ts';
import { map, strings, text, textMap } from '../model/notification.ts';
import { missing } from './requirements.ts';
import type { ServiceFactory } from './service.ts';

/** `alertmanager`: the alert goes to every target; one that takes it is enough. */
export const alertmanager: ServiceFactory = (options) => {
  const targets = strings(options.targets).length > 0 ? strings(options.targets) : ['127.0.0.1:9093'];
  const scheme = text(options.scheme) || 'http';
  const path = text(options.apiPath) || '/api/v2/alerts';
  const basic = map(options.basicAuth);
  const authorization = options.basicAuth
    ? `Basic ${Buffer.from(`${text(basic.username)}:${text(basic.password)}`).toString('base64')}`
    : text(options.bearerToken)
      ? `Bearer ${text(options.bearerToken)}`
      : '';
  return async (notification, _destination, { http, now, signal }) => {
    const section = notification.sections.alertmanager;
    const labels = textMap(section?.labels);
    if (!section || Object.keys(labels).length === 0)
      throw missing(
        'The template has no labels for alertmanager',
        'Give the template at least one of alertmanager.labels',
      );
    const alert = {
      labels,
      annotations: textMap(section.annotations),
      generatorURL: text(section.generatorURL).replace(/^git@([^:]+):/, 'https://$1/'),
      startsAt: new Date(now()).toISOString(),
    };
    const seconds = Number(options.timeout ?? 0) || 3;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    const results = await Promise.allSettled(
      targets.map((target) =>
        http.send(
          {
            url: `${scheme}://${target}${path}`,
            headers: authorization ? { authorization } : {},
            body: [alert],
            options,
            signal: limit,
          },
          (status) => status === 200,
        ),
      ),
    );
    const failed = results.filter((result) => result.status === 'rejected');
    if (failed.length < targets.length) return;
    if (failed.length === 1) throw failed[0]?.reason;
    throw failure(
      unreachable,
      {
        message: `None of the ${targets.length} targets of alertmanager took the alert`,
        evidence: { targets: targets.join(', ') },
        remedies: ['Look at the causes of each target'],
        causes: failed.map(({ reason }) => reason.diagnosis).filter(Boolean),
      },
      { handling: 'retryable' },
    );
  };
};

/** `grafana`: an annotation; the recipient is its tags, separated by `|`. */
export const grafana: ServiceFactory =
  (options) =>
  async ({ message }, { recipient }, { http, now, signal }) => {
    const url = new URL(text(options.apiUrl));
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/annotations`;
    await http.send(
      {
        url: String(url),
        headers: { authorization: `Bearer ${text(options.apiKey)}` },
        body: { time: Math.floor(now() / 1000) * 1000, isRegion: false, tags: recipient.split('|'), text: message },
        options,
        signal,
      },
      (status) => status === 200,
    );
  };

/** `newrelic`: a deployment marker of the application whose id is the recipient. */
export const newrelic: ServiceFactory = (options) => {
  const base = (text(options.apiURL) || 'https://api.newrelic.com').replace(/\/$/, '');
  if (!text(options.apiKey)) throw missing('The service newrelic has no apiKey', 'Set apiKey');
  return async (notification, { recipient }, { http, signal }) => {
    const section = notification.sections.newrelic;
    if (!section) throw missing('The template has no section newrelic', 'Add the section newrelic to the template');
    const description = text(section.description) || notification.message;
    const optional = { changelog: text(section.changelog), description, user: text(section.user) };
    await http.send({
      url: `${base}/v2/applications/${encodeURIComponent(recipient)}/deployments.json`,
      headers: { 'x-api-key': text(options.apiKey) },
      body: {
        deployment: {
          revision: text(section.revision),
          ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
        },
      },
      options,
      signal,
    });
  };
};
