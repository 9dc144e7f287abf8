import type { services } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { notificationSettings } from './notifications/notification-settings.ts';

/** What `argocd-notifications-cm` has, by name; everybody who is logged in may read it, as in Argo CD. */
export function notificationService(context: ServerContext): ServiceHandlers<typeof services.notification> {
  const named = (known: ReadonlyMap<string, unknown>): { name: string }[] =>
    [...known.keys()].sort().map((name) => ({ name }));
  return {
    async listTriggers() {
      return { items: named(notificationSettings(context).triggers) };
    },
    async listServices() {
      return { items: named(notificationSettings(context).services) };
    },
    async listTemplates() {
      return { items: named(notificationSettings(context).templates) };
    },
  };
}
