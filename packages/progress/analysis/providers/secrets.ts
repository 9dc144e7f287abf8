import type { KubeObject } from '@tiphys/kubernetes';
import type { ProviderContext } from './provider.ts';

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

/** The decoded data of a Secret. Throws what the API server answers if it cannot be read. */
export async function readSecret(
  { client, signal }: Pick<ProviderContext, 'client' | 'signal'>,
  secret: { namespace: string; name: string },
): Promise<Map<string, string>> {
  const { data = {} } = await client.get<Secret>({ apiVersion: 'v1', kind: 'Secret', ...secret }, { signal });
  return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
