import type { services } from '@tiphys/api';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import type { ServerContext } from '../server-context.ts';
import { applicationSetChanges } from './applicationset/changes.ts';
import { applicationSetQueries } from './applicationset/queries.ts';

/** ApplicationSets and what they would make. */
export function applicationSetService(context: ServerContext): ServiceHandlers<typeof services.applicationset> {
  return { ...applicationSetQueries(context), ...applicationSetChanges(context) };
}
