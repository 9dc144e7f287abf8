import { readSettings, type Settings } from '@tiphys/notifications';
import type { ServerContext } from '../../context/server-context.ts';

const configMapName = 'argocd-notifications-cm';
const secretName = 'argocd-notifications-secret';

/** The settings of the notifications as they are now. */
export function notificationSettings({ plane, namespace }: Pick<ServerContext, 'plane' | 'namespace'>): Settings {
  return readSettings({
    namespace,
    isSelfService: false,
    configMapName,
    secretName,
    configMap: new Map(Object.entries(plane.configMap(configMapName))),
    secret: new Map(Object.entries(plane.secret(secretName))),
  });
}
