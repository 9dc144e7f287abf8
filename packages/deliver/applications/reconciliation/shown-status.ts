import { type ComparedResource, isSkipped, type SyncCode } from '@tiphys/engine';

/** What an application's status says of an object: nothing of hooks and of what syncs skip, unless it is not known, as upstream. */
export function shownStatus(resource: ComparedResource): SyncCode | undefined {
  const { hook, status } = resource;
  const object = resource.desired ?? resource.live;
  const silent = hook || (object !== undefined && isSkipped(object));
  return silent && status !== 'Unknown' ? undefined : status;
}
