import { notYet } from '../not-yet.ts';
import type { Scopes } from '../resource/cluster-scope.ts';

/** Takes over the schema that `openapi` names: merge keys and scopes. The first kustomization that has one wins, as in Kustomize. */
export function setSchema(
  openapi: ReadonlyMap<string, string> | undefined,
  _file: Uint8Array | undefined,
  _scopes: Scopes,
  _reset: boolean,
): void {
  if (openapi !== undefined && openapi.size > 0) throw notYet('openapi');
}
