import type { JsonMap } from '../model/notification.ts';

/** Settings and an object; `templates` are rendered one over the other for the service slack. */
export interface Question {
  readonly config: Readonly<Record<string, string>>;
  readonly object: JsonMap;
  readonly templates?: readonly string[];
}

const prefix = 'notifications.argoproj.io';

const app = (annotations: Record<string, string> = {}, more: JsonMap = {}): JsonMap => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd', annotations, labels: { team: 'a' } },
  spec: { project: 'default', source: { repoURL: 'https://example.com/o/r.git' } },
  status: {
    health: { status: 'Degraded' },
    sync: { status: 'Synced', revision: 'abc' },
    operationState: { phase: 'Succeeded', syncResult: { revision: 'abc' }, retryCount: 3 },
  },
  ...more,
});

const triggers = {
  'trigger.on-bad': "- when: app.status.health.status == 'Degraded'\n  send: [bad]",
  'trigger.on-done':
    "- when: app.status.operationState.phase in ['Succeeded']\n  oncePer: app.status.operationState.syncResult.revision\n  send: [done]\n- when: app.status.operationState.retryCount > 2\n  oncePer: app.status.operationState.retryCount\n  send: [bad]",
  'trigger.on-odd':
    '- when: app.status.nothing.at.all\n  send: [bad]\n- when: "true"\n  oncePer: app.status.missing?.x\n  send: [bad]\n- when: app.metadata.name\n  send: [bad]\n- when: ""\n  send: [bad]',
};

const subscribed = (annotations: Record<string, string>, config: Record<string, string> = {}): Question => ({
  config: { ...triggers, ...config },
  object: app(annotations),
});

const subscriptions: Question[] = [
  subscribed({ [`${prefix}/subscribe.on-bad.slack`]: 'a;b ; a;;' }),
  subscribed({ [`${prefix}/subscribe.on-bad.slack`]: '' }),
  subscribed({ [`${prefix}/subscribe.on-done.slack`]: 'a', [`${prefix}/subscribe.on-odd.webhook`]: '' }),
  subscribed({ [`${prefix}/subscribe.on-none.slack`]: 'a' }),
  subscribed({ [`${prefix}/subscribe.slack`]: 'a' }, { defaultTriggers: '- on-bad\n- on-done' }),
  subscribed(
    { [`${prefix}/subscribe.slack`]: 'a', [`${prefix}/subscribe.mail`]: 'b' },
    { defaultTriggers: '[on-bad]', 'defaultTriggers.mail': '[on-done]' },
  ),
  subscribed({ [`${prefix}/subscribe.on-bad.slack.extra`]: 'a' }),
  subscribed(
    {
      [`${prefix}/subscriptions`]:
        '- trigger: [on-bad, on-done]\n  destinations:\n  - service: slack\n    recipients: [x, y]\n- destinations:\n  - service: mail\n    recipients: [z]',
    },
    { defaultTriggers: '[on-odd]' },
  ),
  subscribed({}, { subscriptions: '- recipients: [slack:ops, mail, "webhook:a:b"]\n  triggers: [on-bad]' }),
  subscribed(
    {},
    {
      subscriptions:
        '- recipients: [slack:ops]\n  triggers: [on-bad]\n  selector: team=a\n- recipients: [slack:never]\n  triggers: [on-bad]\n  selector: team!=a',
      defaultTriggers: '[on-done]',
    },
  ),
  subscribed(
    { [`${prefix}/subscribe.on-bad.slack`]: 'ops' },
    { subscriptions: '- recipients: [slack:ops]\n  selector: team in (a,b), !canary', defaultTriggers: '[on-bad]' },
  ),
];

const rendered = (templates: Record<string, string>, names = Object.keys(templates)): Question => ({
  config: Object.fromEntries(Object.entries(templates).map(([name, text]) => [`template.${name}`, text])),
  object: app(),
  templates: names,
});

const templates: Question[] = [
  rendered({
    a: 'message: "{{.app.metadata.name}} {{.serviceType}} {{.recipient}} {{.context.notificationType}} {{.app.status.operationState.retryCount}}"',
  }),
  rendered(
    {
      a: 'message: one\nemail: {subject: "s {{.app.metadata.name}}", body: b}',
      b: 'message: ""\nemail: {subject: "", body: "{{upper "x"}}"}',
    },
    ['a', 'b'],
  ),
  rendered({ a: 'message: "{{.app.nope.x}}"' }),
  rendered({ a: 'message: "{{.app.nope.x.y | upper}}"' }),
  rendered({ a: 'message: "{{ env "HOME" }}"' }),
  rendered({ a: 'message: "{{"' }),
  rendered({
    a: 'slack: {attachments: "[{{.app.metadata.name | toJson}}]", groupingKey: "{{.app.status.sync.revision}}", notifyBroadcast: true, deliveryPolicy: Update, username: "", icon: ":x:"}',
  }),
  rendered({ a: 'slack: {groupingKey: a, icon: ":x:"}', b: 'slack: {groupingKey: "{{.recipient}}"}' }, ['a', 'b']),
  rendered({
    a: 'webhook:\n  h: {method: POST, path: "/{{.app.metadata.name}}", body: "{{.app.spec | toJson}}"}\n  g: {body: x}',
  }),
  rendered(
    { a: 'teams: {title: "{{.app.metadata.name}}", text: t, facts: "[]"}', b: 'teams: {title: "", themeColor: "#1"}' },
    ['a', 'b'],
  ),
  rendered({ a: 'teams-workflows: {adaptiveCard: "{}", title: T}' }),
  rendered({
    a: 'mattermost: {attachments: "[{{.recipient}}]"}\nrocketchat: {attachments: x}\ngooglechat: {cards: c, cardsV2: "{{.recipient}}", threadKey: k}',
  }),
  rendered({
    a: 'opsgenie: {description: "d {{.app.metadata.name}}", priority: P1, tags: ["{{.recipient}}", b], details: {k: "{{.serviceType}}"}, visibleTo: [{type: user, name: "{{.recipient}}"}], actions: [x]}',
  }),
  rendered({
    a: 'pagerduty: {title: "{{.app.metadata.name}}", urgency: high}\npagerdutyv2: {summary: "{{.app.metadata.name}}", severity: info, source: s, url: u, dedupKey: "{{.recipient}}"}',
  }),
  rendered({ a: 'newrelic: {revision: "", changelog: c, user: "{{.recipient}}"}' }),
  rendered({
    a: 'github: {status: {state: success, label: "l {{.recipient}}", targetURL: u}, checkRun: {name: n, details_url: "{{.recipient}}", output: {title: t, summary: s}}}',
  }),
  rendered({
    a: 'awssqs: {messageAttributes: {a: "{{.recipient}}"}, messageGroupId: "g {{.recipient}}"}\ngcppubsub: {attributes: {k: "{{.serviceType}}"}}',
  }),
];

/** What both are asked. */
export function table(): Question[] {
  return [...subscriptions, ...templates];
}
