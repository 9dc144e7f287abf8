import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolloutNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Destination, Engine, Notification, Variables } from '@tiphys/notifications';
import { documentsOf } from './documents-of.ts';
import { fail, type VerbCall } from './verb-command.ts';

export interface SettingsFlags {
  readonly configMap?: string;
  readonly secret?: string;
}

interface Loaded {
  readonly engine: Engine;
  /** The variables of a Rollout, by its name or in a file; with what a destination adds. */
  readonly variablesOf: (resource: string, destination?: Destination) => Promise<Variables>;
}

/** The settings of notifications of Rollouts in the namespace, or in the files that flags name. */
export async function loadNotifications(call: VerbCall<SettingsFlags>): Promise<Loaded> {
  const { Engine, Variables, readSettings, rolloutNotifications } = await import('@tiphys/notifications');
  const { client, namespace, options } = call;
  const { configMapName, secretName, catalogue, variable, beside } = rolloutNotifications({ selfService: false });
  const secret = options.secret === ':empty' ? {} : await readObject(call, 'Secret', secretName, options.secret);
  const configMap = await readObject(call, 'ConfigMap', configMapName, options.configMap);
  const settings = readSettings({
    namespace,
    isSelfService: false,
    configMapName,
    secretName,
    configMap: new Map(Object.entries((configMap.data ?? {}) as Record<string, string>)),
    secret: secretValues(secret),
  });
  for (const { message } of settings.problems) call.output.error(message);
  return {
    engine: new Engine(settings, catalogue),
    variablesOf: async (resource, destination) => {
      const object = await rolloutOf(call, resource);
      const more = beside ? { [beside.name]: await beside.read(client, object) } : {};
      return new Variables({ variable, object, settings, now: () => Date.now(), more, destination });
    },
  };
}

function secretValues({ data = {}, stringData = {} }: Partial<KubeObject>): Map<string, string> {
  const decoded = Object.entries(data as Record<string, string>).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const,
  );
  return new Map([...decoded, ...Object.entries(stringData as Record<string, string>)]);
}

async function readObject(
  call: VerbCall<unknown>,
  kind: 'ConfigMap' | 'Secret',
  name: string,
  file: string | undefined,
): Promise<Partial<KubeObject>> {
  const { client, namespace, workdir } = call;
  if (file === undefined) return client.get({ apiVersion: 'v1', kind, namespace, name });
  const objects = documentsOf(workdir, file).map(({ value }) => value as unknown as KubeObject);
  const found = objects.find((object) => object.kind === kind && object.metadata?.name === name);
  return found ?? fail(call, `file '${file}' does not have '/${kind}/${name}'`);
}

async function rolloutOf(call: VerbCall<unknown>, resource: string): Promise<KubeObject> {
  const { client, namespace, workdir } = call;
  const path = resolve(workdir, resource);
  if (existsSync(path) && statSync(path).isFile())
    return (documentsOf(workdir, resource)[0]?.value ?? {}) as unknown as KubeObject;
  return client.get({ apiVersion: rolloutNames.apiVersion, kind: 'Rollout', namespace, name: resource });
}

/** Sends one notification as a test: it begins no thread, and nothing of it is remembered. */
export async function sentTo(
  { signal }: VerbCall<unknown>,
  { engine, notification, destination }: { engine: Engine; notification: Notification; destination: Destination },
): Promise<void> {
  const { Http } = await import('@tiphys/notifications');
  const http = new Http({ env: process.env });
  try {
    await engine.sender(destination)(notification, destination, {
      id: `notification-test-${randomUUID()}`,
      http,
      threads: { get: async () => undefined, put: async () => undefined },
      env: process.env,
      now: () => Date.now(),
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    });
  } finally {
    await http.close();
  }
}
