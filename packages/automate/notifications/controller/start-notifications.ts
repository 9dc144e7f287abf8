import { type FamilyOptions, LeaseShards, type ObjectView, type Runtime } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError, failure } from '@tiphys/diagnosis';
import { type Client, Informer, isForbidden, type KubeObject } from '@tiphys/kubernetes';
import { eventsForbidden, kindForbidden } from '../model/diagnoses.ts';
import { outboxLabel } from '../outbox/record.ts';
import { Http } from '../services/http.ts';
import type { NotifiedKind } from './family.ts';
import type { KubeEvent } from './happenings.ts';
import { NotificationsController } from './notifications-controller.ts';
import { StoredThreads } from './stored-threads.ts';

export interface NotificationsOptions extends FamilyOptions {
  readonly family: NotifiedKind;
  /** The objects as the process follows them anyway; followed anew if absent. */
  readonly objects?: ObjectView<KubeObject> | undefined;
  /** Kept of an object that is followed anew, in place of all of it. */
  readonly kept?: (object: KubeObject) => KubeObject;
  /** The namespace whose objects are told of, for an identity that may not list all; that of the settings if absent. */
  readonly watched?: string | undefined;
  /** For proxies and the credentials of clouds. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where URLs are really asked for; for tests. */
  readonly route?: (url: string) => string;
}

/** Tells of the objects of a kind until it is closed; one of several processes does so at a time. */
export async function startNotifications(options: NotificationsOptions): Promise<Runtime> {
  const { client, namespace, clock, family, onError, env } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const failed = (what: string) => (problem: unknown) => onError(`notifications: ${what}`, problem);
  const informers: Informer<KubeObject>[] = [];
  const follow = (
    ref: { apiVersion: string; kind: string; namespace?: string; name?: string },
    labelSelector?: string,
    transform?: (object: KubeObject) => KubeObject,
  ) => {
    const informer = new Informer<KubeObject>(client, {
      ref,
      clock,
      ...(labelSelector ? { labelSelector } : {}),
      ...(transform ? { transform } : {}),
      onError: (problem: Diagnosis) => failed(ref.kind)(new DiagnosisError(problem)),
    });
    informers.push(informer);
    return informer;
  };
  // a field selector on the name follows the one object, or those of that name in all namespaces
  const scope = family.selfService ? {} : { namespace };
  const { apiVersion, kind } = family;
  const everywhere = await mayList(client, { apiVersion, kind });
  const { watched = namespace } = options;
  const where = everywhere ? {} : { namespace: watched };
  if (!options.objects && !everywhere && !(await mayList(client, { apiVersion, kind, ...where })))
    throw failure(kindForbidden, {
      message: `Nobody is told of ${kind}s: the identity may not list them, nor those of namespace ${watched}`,
      remedies: [
        `Give its role get, list, watch and patch of ${kind.toLowerCase()}s in the group ${apiVersion.split('/')[0]}`,
      ],
    });
  const objects = options.objects ?? follow({ apiVersion, kind, ...where }, undefined, options.kept);
  const configMaps = follow({ apiVersion: 'v1', kind: 'ConfigMap', ...scope, name: family.configMapName });
  const secrets = follow({ apiVersion: 'v1', kind: 'Secret', ...scope, name: family.secretName });
  const certificates = follow({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-tls-certs-cm' });
  const outbox = follow({ apiVersion: 'v1', kind: 'Secret', namespace }, `${outboxLabel}=${family.name}`);
  const events = family.tellsEvents ? await followEvents(options, everywhere ? undefined : watched) : undefined;
  const missedSince = events ? await lastTold(options) : undefined;
  const all = [...informers, ...(events ? [events] : [])];
  for (const informer of all) informer.start(signal);
  await Promise.all(all.map(({ synced }) => synced));
  const http = new Http({
    env,
    trusted: (host) => {
      const data = (certificates.get(namespace, 'argocd-tls-certs-cm')?.data ?? {}) as Record<string, string>;
      return data[host] ?? data[host.replace(/:\d+$/, '')];
    },
    ...(options.route ? { route: options.route } : {}),
  });
  const shards = new LeaseShards({
    client,
    namespace,
    clock,
    leaseName: () => leaseName(family),
    onChange: () => controller.wake(),
    onError: failed('lease'),
  });
  const controller: NotificationsController = new NotificationsController({
    ...options,
    signal,
    objects,
    configMaps,
    secrets,
    outbox,
    ...(events ? { events, missedSince } : {}),
    http,
    threads: new StoredThreads(client, namespace, `tiphys-notification-threads-${family.name}`),
    holds: () => shards.hold(0),
  });
  const running = Promise.all([controller.run(), shards.run(signal)]);
  running.catch(failed('stopped'));
  return {
    async close() {
      stop.abort(new Error('stopped'));
      await Promise.allSettled([running]);
      await http.close();
    },
  };
}

const leaseName = ({ name }: NotifiedKind): string => `tiphys-notifications-${name}`;

/** Milliseconds that a process may be late with its lease, and clocks may differ. */
const margin = 15_000;

/** When a process told last, in milliseconds, by the lease that it renews as long as it lives; undefined before the first. */
async function lastTold({ client, namespace, family }: NotificationsOptions): Promise<number | undefined> {
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: leaseName(family) };
  const lease = await client.find<KubeObject & { spec?: { renewTime?: string } }>(ref);
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  return Number.isNaN(renewed) ? undefined : renewed - margin;
}

/** Events of the objects, without what is not looked at; undefined, and told of, if the identity may not list them. */
async function followEvents(
  { client, clock, family, onError }: NotificationsOptions,
  namespace: string | undefined,
): Promise<Informer<KubeEvent> | undefined> {
  const ref = { apiVersion: 'v1', kind: 'Event', ...(namespace ? { namespace } : {}) };
  if (!(await mayList(client, ref))) {
    onError(
      'notifications: Event',
      failure(eventsForbidden, {
        message: `Triggers that are named after Events of a ${family.kind} tell nothing: the identity may not list Events`,
        remedies: ['Give the role of the controller list and watch of events'],
      }),
    );
    return undefined;
  }
  return new Informer<KubeEvent>(client, {
    ref,
    clock,
    fieldSelector: `involvedObject.kind=${family.kind}`,
    transform: ({ apiVersion, kind, metadata: { uid, namespace: space, name, resourceVersion }, ...event }) => ({
      apiVersion,
      kind,
      metadata: { uid, namespace: space, name, resourceVersion } as KubeEvent['metadata'],
      ...(event.type ? { type: event.type } : {}),
      ...(event.reason ? { reason: event.reason } : {}),
      ...(event.lastTimestamp ? { lastTimestamp: event.lastTimestamp } : {}),
      ...(event.count ? { count: event.count } : {}),
      ...(event.involvedObject ? { involvedObject: event.involvedObject } : {}),
    }),
    onError: (problem) => onError('notifications: Event', new DiagnosisError(problem)),
  });
}

/** Whether the identity may list a kind in all namespaces; one with rights in its namespace alone follows that one. */
async function mayList(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace?: string },
): Promise<boolean> {
  try {
    await client.list(ref, { limit: 1 });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
