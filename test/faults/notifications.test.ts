import { after, before, describe, test } from 'node:test';
import type { Runtime } from '@tiphys/controller';
import { systemClock } from '@tiphys/kubernetes';
import { applicationNotifications, startNotifications } from '@tiphys/notifications';
import { World } from '../e2e/support/world.ts';
import { faultySettings, notificationFaults } from './notification-faults.ts';
import { runFault } from './run-fault.ts';

let world: World;
let notifications: Runtime;
const stop = new AbortController();

before(async () => {
  world = await World.start();
  const { client, namespace } = world;
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-notifications-cm' };
  await client.patch(
    settings,
    'apply',
    {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: settings.name, namespace } },
      data: await faultySettings(),
    },
    { fieldManager: 'test', force: true },
  );
  notifications = await startNotifications({
    ...{ client, namespace, clock: systemClock, signal: stop.signal, env: {}, onError: () => undefined },
    family: applicationNotifications({
      namespace,
      applicationNamespaces: () => [],
      selfService: false,
      project: () => undefined,
    }),
  });
});
after(async () => {
  stop.abort(new Error('over'));
  await notifications?.close();
  await world?.close();
});

describe('what keeps a notification from its receiver is told on the application', { concurrency: 5 }, () => {
  for (const [index, fault] of notificationFaults.entries())
    test(`${fault.id}: ${fault.title}`, () => runFault(world, fault, `told-${index}`));
});
