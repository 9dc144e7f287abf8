import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationCatalogue } from '../catalog/applications.ts';
import { Engine } from '../controller/engine.ts';
import { readSettings } from './read-settings.ts';

const problemsOf = (entries: Readonly<Record<string, string>>) =>
  new Engine(
    readSettings({
      namespace: 'argocd',
      isSelfService: false,
      configMapName: 'argocd-notifications-cm',
      secretName: 'argocd-notifications-secret',
      configMap: new Map(Object.entries(entries)),
      secret: new Map(),
    }),
    applicationCatalogue,
  ).problems();

test('each entry that cannot do what it is for is told with its key', () => {
  const told = problemsOf({
    'trigger.bad': '- when: app.status.foo ===\n  send: [fine]',
    'trigger.nowhere': '- when: "true"\n  send: [nope]',
    'template.fine': 'message: fine',
    'template.bad': 'message: "{{ .app"',
    'service.slakc': 'token: x',
    'service.webhook.hook': 'url: http://hook.example.com',
    subscriptions: '- recipients: [hook:x, slak:y]\n  triggers: [on-nope]',
    defaultTriggers: '- on-gone',
    'defaultTriggers.hook': '- on-lost',
    contxt: 'a: b',
  }).map(({ message, place, remedies }) => {
    assert.equal(place?.object, 'ConfigMap argocd/argocd-notifications-cm');
    assert.ok(remedies.length > 0, message);
    return message;
  });
  for (const wanted of [
    /^trigger\.bad: unexpected token/,
    /^trigger\.nowhere: There is no template nope/,
    /^template\.bad: .*unclosed action/,
    /^service\.slakc: There is no type of services slakc/,
    /^subscriptions: There is no trigger on-nope/,
    /^subscriptions: There is no service slak/,
    /^defaultTriggers: There is no trigger on-gone/,
    /^defaultTriggers\.hook: There is no trigger on-lost/,
    /^contxt: there is no entry of this name/,
  ])
    assert.ok(
      told.some((message) => wanted.test(message)),
      `${wanted}: ${told.join('\n')}`,
    );
  assert.equal(told.length, 9, told.join('\n'));
});

test('nothing is told of entries that do what they are for', () => {
  assert.deepEqual(
    problemsOf({
      'trigger.on-mine': '- when: app.status.operationState.phase in ["Failed"]\n  send: [mine, app-sync-failed]',
      'template.mine': 'message: "{{.app.metadata.name}}"',
      'service.webhook.hook': 'url: http://hook.example.com',
      subscriptions: '- recipients: [hook:x]\n  triggers: [on-mine, on-sync-failed]',
      defaultTriggers: '- on-mine',
      context: 'a: b',
      'config.yaml': 'context: {b: c}',
    }),
    [],
  );
});
