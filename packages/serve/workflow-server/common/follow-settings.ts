import { isDeepStrictEqual } from 'node:util';
import { workflowNames } from '@tiphys/api';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import type { Log } from '@tiphys/server';
import { type FlowSettings, parseSettings } from './settings.ts';

/** What is opened with the server: a change of these is told, and holds after a restart. */
const fixed = ['instanceID', 'persistence', 'synchronization', 'sso'] as const;

export interface FollowedSettings {
  /** As workflow-controller-configmap is now. */
  settings(): FlowSettings;
  close(): void;
}

/**
 * Follows workflow-controller-configmap from what was read of it first. `instanceID`, `persistence`, `synchronization` and `sso` stay as
 * they were. What cannot be read is logged, and what was read before stays.
 */
export function followSettings({
  client,
  namespace,
  clock,
  log,
  first,
}: {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly first: FlowSettings;
}): FollowedSettings {
  const name = workflowNames.configMap;
  let settings = first;
  const take = (found: KubeObject | undefined): void => {
    try {
      const now = parseSettings(found);
      const kept = keptOf(first);
      for (const key of fixed)
        if (!isDeepStrictEqual(keptOf(now)[key], kept[key]))
          log(
            'warn',
            `${key} of ${name} has changed: restart the workflow server, which goes on with what it began with`,
            {
              namespace,
            },
          );
      settings = {
        ...now,
        instanceId: first.instanceId,
        persistence: first.persistence,
        synchronization: first.synchronization,
        sso: first.sso,
      };
    } catch (error) {
      log('error', `${name} cannot be read: what it said before holds on`, { namespace, error: String(error) });
    }
  };
  const configMap = new Informer(client, {
    ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
    clock,
    onError: ({ message }) =>
      log('warn', `${name} cannot be followed; it is tried again`, { namespace, error: message }),
  });
  configMap.subscribe(({ type, object }) => take(type === 'deleted' ? undefined : object));
  const abort = new AbortController();
  configMap.start(abort.signal);
  return { settings: () => settings, close: () => abort.abort(new Error('the server is closing')) };
}

function keptOf({ instanceId, persistence, synchronization, sso }: FlowSettings) {
  return { instanceID: instanceId, persistence, synchronization, sso };
}
