import type { Enforcer } from '../rbac/enforcer.ts';
import type { ServerContext } from './server-context.ts';

/** What is needed to show families of controllers and to change what is theirs. */
export interface FamilyAccess extends Pick<ServerContext, 'client' | 'clock' | 'version' | 'log'> {
  enforcer(): Promise<Pick<Enforcer, 'allows'>>;
}
