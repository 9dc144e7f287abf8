import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { NotifiedKind } from './family.ts';

/** What a kind has beside its objects, by the name of its variable; nothing is read unless it is wanted. */
export async function besides(
  { client, family: { beside } }: { readonly client: Client; readonly family: NotifiedKind },
  object: KubeObject,
  isWanted: boolean,
): Promise<Record<string, readonly unknown[]>> {
  return beside && isWanted ? { [beside.name]: await beside.read(client, object) } : {};
}
