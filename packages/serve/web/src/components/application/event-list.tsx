import { type ApplicationRef, api } from '../../api/client.ts';
import type { TreeNode } from '../../api/model.ts';
import { EventFeed } from '../common/event-feed.tsx';

/** Kubernetes Events of the application, or of one object of it. */
export function EventList({ reference, node }: { reference: ApplicationRef; node?: TreeNode }) {
  return (
    <EventFeed
      of={['application', reference.namespace, reference.name, node?.uid ?? '']}
      read={() => api.events(reference, node)}
    />
  );
}
