import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationsOf } from '../subscriptions/subscriptions.ts';
import { readSettings, type SettingsSource } from './read-settings.ts';
import type { Settings } from './settings.ts';

function read(configMap: Record<string, string>, secret: Record<string, string> = {}): Settings {
  const source: SettingsSource = {
    namespace: 'argocd',
    isSelfService: false,
    configMapName: 'argocd-notifications-cm',
    secretName: 'argocd-notifications-secret',
    configMap: new Map(Object.entries(configMap)),
    secret: new Map(Object.entries(secret)),
  };
  return readSettings(source);
}

test('services get the values of the Secret, and what is missing is told with what is there', () => {
  const settings = read(
    { 'service.slack': 'token: $slack-token\nicon: "a $other b"', 'service.webhook.hook': 'url: https://x' },
    { 'slack-token': 'xoxb: "1"' },
  );
  assert.deepEqual(settings.services.get('slack'), {
    type: 'slack',
    options: { token: 'xoxb: "1"', icon: 'a $other b' },
    missing: ['other'],
  });
  assert.equal(settings.services.get('hook')?.type, 'webhook');
  const [problem] = settings.problems;
  assert.equal(problem?.code, 'NotificationSecretKeyMissing');
  assert.equal(problem?.evidence[0]?.value, 'slack-token');
});

test('an entry that can not be read leaves the others in use', () => {
  const settings = read({
    'trigger.good': '- when: true\n  send: [x]',
    'trigger.bad': '- when: [',
    'template.list': '- a',
    'service.a.b.c': '{}',
  });
  assert.deepEqual([...settings.triggers.keys()], ['good']);
  assert.equal(settings.triggers.get('good')?.[0]?.when, 'true');
  assert.deepEqual(settings.problems.map(({ place }) => place?.field).sort(), [
    'data["service.a.b.c"]',
    'data["template.list"]',
    'data["trigger.bad"]',
  ]);
});

test('subscriptions: annotations in all forms, default triggers, the global ones by label', () => {
  const settings = read({
    defaultTriggers: '[on-a, on-b]',
    'defaultTriggers.mail': '[on-c]',
    subscriptions:
      '- recipients: [slack:ops, mail]\n  selector: team in (a, b), !canary\n- recipients: [slack:ops]\n  triggers: [on-x]',
  });
  const found = (
    annotations: Record<string, string>,
    labels: Record<string, string> = {},
    parent?: Record<string, string>,
  ) =>
    Object.fromEntries(
      [...destinationsOf(settings, { prefix: 'notifications.argoproj.io', annotations, labels, parent })].map(
        ([trigger, list]) => [trigger, list.map(({ service, recipient }) => `${service}:${recipient}`)],
      ),
    );
  const p = 'notifications.argoproj.io';
  assert.deepEqual(found({ [`${p}/subscribe.on-z.slack`]: ' a ; b;;a' }), {
    'on-x': ['slack:ops'],
    'on-z': ['slack:a', 'slack:b'],
  });
  assert.deepEqual(found({ [`${p}/subscribe.slack`]: 'a', [`${p}/subscribe.mail`]: '' }), {
    'on-x': ['slack:ops'],
    'on-a': ['slack:a'],
    'on-b': ['slack:a'],
    'on-c': ['mail:'],
  });
  assert.deepEqual(found({}, { team: 'a' }), {
    'on-a': ['slack:ops', 'mail:'],
    'on-b': ['slack:ops', 'mail:'],
    'on-x': ['slack:ops'],
  });
  assert.deepEqual(found({}, { team: 'a', canary: '1' }), { 'on-x': ['slack:ops'] });
  assert.deepEqual(
    found({
      [`${p}/subscriptions`]: '- trigger: [on-p, on-q]\n  destinations:\n  - service: slack\n    recipients: [one]',
    }),
    { 'on-x': ['slack:ops'], 'on-p': ['slack:one'], 'on-q': ['slack:one'] },
  );
  assert.deepEqual(found({}, {}, { 'on-r.recipients.argocd-notifications.argoproj.io': 'slack:old, mail:x' }), {
    'on-x': ['slack:ops'],
    'on-r': ['slack:old'],
    'on-c': ['mail:x'],
  });
});

test('the settings of the first releases', () => {
  const settings = read(
    {
      'config.yaml':
        'triggers: [{name: on-a, condition: "true", template: t, enabled: true}]\ntemplates: [{name: t, subject: S, body: B}]\ncontext: {url: u}',
    },
    { 'notifiers.yaml': 'slack: {token: x}\nwebhook: [{name: w, url: https://w}]' },
  );
  assert.deepEqual(settings.triggers.get('on-a')?.[0]?.send, ['t']);
  assert.deepEqual(settings.templates.get('t'), { email: { subject: 'S' }, message: 'B' });
  assert.deepEqual(settings.defaultTriggers, ['on-a']);
  assert.deepEqual([...settings.services.keys()], ['slack', 'w']);
  assert.equal(settings.context.url, 'u');
});
