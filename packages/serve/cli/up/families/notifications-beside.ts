import type { Runtime } from '@tiphys/controller';
import { type NotificationsOptions, startNotifications } from '@tiphys/notifications';

/**
 * Starts notifications of a kind beside its controllers, which do not wait for it: who may not read the settings of notifications has
 * the controllers all the same.
 */
export function startNotificationsBeside(options: NotificationsOptions): Runtime {
  const stop = new AbortController();
  let notifications: Runtime | undefined;
  startNotifications({ ...options, signal: AbortSignal.any([options.signal, stop.signal]) }).then(
    async (started) => {
      if (stop.signal.aborted) await started.close();
      else notifications = started;
    },
    (error: unknown) => stop.signal.aborted || options.onError(`notifications of ${options.family.name}`, error),
  );
  return {
    async close() {
      stop.abort(new Error('stopped'));
      await notifications?.close();
    },
  };
}
