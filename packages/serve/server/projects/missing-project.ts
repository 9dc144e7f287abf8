import { notFound, type RpcError } from '../rpc/rpc-error.ts';

/** What upstream says where it looks a project up in its own copy of them. */
export function missingProjectError(name: string): RpcError {
  return notFound(`error getting app project "${name}": appproject.argoproj.io "${name}" not found`);
}
