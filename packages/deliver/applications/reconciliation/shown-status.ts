import { type ComparedResource, isSkipped, type SyncCode } from '@tiphys/engine';

/** What an application's status says of an object: nothing of hooks and of what syncs skip, unless it is not known, as upstream. */
export function shownStatus({ hook, status, desired, live }: ComparedResource): SyncCode | undefined {
  const object = desired ?? live;
  const silent = hook || (object !== undefined && isSkipped(object));
  return silent && status !== 'Unknown' ? undefined : status;
}
