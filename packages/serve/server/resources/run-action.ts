import { DiagnosisError, formatDiagnosis } from '@tiphys/diagnosis';
import type { ActionEffect } from '@tiphys/engine';
import { type Client, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { Code, RpcError } from '../rpc/rpc-error.ts';

/** Plans or lists actions; refusals have upstream's code whatever is the matter. */
export function refusingActions<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DiagnosisError)) throw error;
    const { diagnosis } = error;
    throw new RpcError(Code.Unknown, formatDiagnosis(diagnosis), { cause: error });
  }
}

/** Carries an action's effects out in their order; nothing is done before all that is to be created was tried dry. */
export async function carryOut(client: Client, effects: readonly ActionEffect[]): Promise<void> {
  for (const effect of effects) if (effect.operation === 'create') await client.create(effect.object, { dryRun: true });
  for (const effect of effects) {
    if (effect.operation === 'create') await client.create(effect.object);
    else await patch(client, effect.object, effect.patch as Record<string, unknown>);
  }
}

/** Where the kind has a subresource for it the status is patched there, and the rest on its own. */
async function patch(client: Client, object: KubeObject, change: Record<string, unknown>): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { name = '', namespace } = object.metadata;
  const ref = { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) };
  const { status, ...rest } = change;
  if (status !== undefined) {
    try {
      await client.patch(ref, 'merge', { status }, { subresource: 'status' });
      if (Object.keys(rest).length > 0) await client.patch(ref, 'merge', rest);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  await client.patch(ref, 'merge', change);
}
