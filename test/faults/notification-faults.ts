import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault, Stage } from './fault.ts';

/** Settings that the test writes before the controller of notifications starts: triggers, templates and services by name. */
export async function faultySettings(): Promise<Record<string, string>> {
  const server = createServer((_request, response) => void response.writeHead(401).end('MARKER'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const always = '- when: "true"\n  send: [fine]';
  return {
    'service.webhook.refusing': `url: ${url}\nheaders: [{name: Authorization, value: Bearer x}]\nretryMax: 0`,
    'service.webhook.keyless': `url: ${url}\nheaders: [{name: Authorization, value: $no-such-key}]`,
    'trigger.always': always,
    'trigger.on-broken': '- when: "true"\n  send: [broken]',
    'template.fine': 'message: fine',
    'template.broken': 'message: "{{.app.nope.x | upper}}"',
  };
}

const annotate = (subscription: string, value: string | null) => (stage: Stage) =>
  stage.world.client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: stage.world.namespace, name: stage.name },
    'merge',
    { metadata: { annotations: { [`notifications.argoproj.io/subscribe.${subscription}`]: value } } },
  );

const annotateList = (value: string | null) => (stage: Stage) =>
  stage.world.client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: stage.world.namespace, name: stage.name },
    'merge',
    { metadata: { annotations: { 'notifications.argoproj.io/subscriptions': value } } },
  );

const subscribed = (fault: Omit<Fault, 'inject' | 'mend'>, subscription: string): Fault => ({
  ...fault,
  inject: annotate(subscription, 'team'),
});

/** What keeps the notifications of an Application from being delivered. */
export const notificationFaults: readonly Fault[] = [
  subscribed(
    {
      id: 'N1',
      title: 'a template that reads what the application lacks',
      code: 'NotificationTemplateFailed',
      contains: [/Notification on-broken to refusing:team waits/, /template broken/],
    },
    'on-broken.refusing',
  ),
  subscribed(
    {
      id: 'N3',
      title: 'a key of the Secret that is not there',
      code: 'NotificationOptionMissing',
      cause: 'NotificationOptionMissing',
      contains: [/no-such-key/, /Add the keys to the Secret/],
    },
    'always.keyless',
  ),
  subscribed(
    {
      id: 'N4',
      title: 'a receiver that refuses the credentials',
      code: 'NotificationCredentialsRefused',
      contains: [/Notification always to refusing:team waits/, /401/],
    },
    'always.refusing',
  ),
  {
    ...subscribed(
      {
        id: 'NotificationTriggerUnknown',
        title: 'a subscription to a trigger that is misspelt',
        code: 'NotificationTriggerUnknown',
        contains: [/There is no trigger on-synk-failed/, /there are .*always/],
      },
      'on-synk-failed.refusing',
    ),
    mend: annotate('on-synk-failed.refusing', null),
  },
  subscribed(
    {
      id: 'NotificationServiceUnknown',
      title: 'a subscription to a service that nobody configured',
      code: 'NotificationServiceUnknown',
      contains: [/There is no service slak/, /correct the subscription/],
    },
    'always.slak',
  ),
  {
    id: 'NotificationSubscriptionUnreadable',
    title: 'a list of subscriptions that is no YAML',
    inject: annotateList('- trigger: [on-x\n'),
    code: 'NotificationSubscriptionUnreadable',
    contains: [/notifications\.argoproj\.io\/subscriptions/, /subscribes nobody/, /Write a list of triggers/],
    mend: annotateList(null),
  },
];
