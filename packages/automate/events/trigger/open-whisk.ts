import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { OpenWhiskTrigger } from '../spec/sensor.ts';
import { sendRequest } from '../wire/http-request.ts';
import { type Act, ActionError } from './trigger.ts';

const timeout = 65_000;

/** Invokes an action and waits for its result. */
export const act: Act = async ({ template, policy, events, signal }, { keys }) => {
  const whisk = withParameters(template.openWhisk as OpenWhiskTrigger, template.openWhisk?.parameters, events);
  const { host, version, namespace, actionName, authToken } = whisk;
  const base = host.includes('://') ? host : `https://${host}`;
  const path = `/api/${version || 'v1'}/namespaces/${encodeURIComponent(namespace || '_')}/actions/${actionName}`;
  const token = authToken ? (await keys.secret(authToken)).trim() : '';
  const { status } = await sendRequest({
    url: `${base.replace(/\/$/, '')}${path}?blocking=true&result=true`,
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json'],
      ...(token ? [['Authorization', `Basic ${Buffer.from(token).toString('base64')}`] as const] : []),
    ],
    body: buildPayload(events, whisk.payload ?? []) ?? '{}',
    timeout,
    signal,
  });
  const allowed = policy?.status?.allow;
  if (allowed ? !allowed.includes(status) : status >= 400)
    throw new ActionError(`the action ${actionName} was answered ${status}`);
  return `invoked ${actionName}, answered ${status}`;
};
