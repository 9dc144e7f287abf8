import type { services } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { applicationSetChanges } from './applicationset/changes.ts';
import { applicationSetQueries } from './applicationset/queries.ts';

/** ApplicationSets and what they would make. */
export function applicationSetService(context: ServerContext): ServiceHandlers<typeof services.applicationset> {
  return { ...applicationSetQueries(context), ...applicationSetChanges(context) };
}
