import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';

const sharedCacheUnavailable = defineDiagnosis(
  'SharedCacheUnavailable',
  'The Redis that replicas share can not be used: each renders for itself',
);

/** `server.secretkey` of argocd-secret: all replicas have it, and nobody else. Undefined before the first start of a server. */
export async function serverSecret(client: Client, namespace: string): Promise<string | undefined> {
  const found = await client.find({ apiVersion: 'v1', kind: 'Secret', name: 'argocd-secret', namespace });
  const key = (found?.data as Record<string, string> | undefined)?.['server.secretkey'];
  return key ? Buffer.from(key, 'base64').toString('utf8') : undefined;
}

export function sharedCacheAway(problem: string): DiagnosisError {
  return failure(
    sharedCacheUnavailable,
    {
      message: `${problem}; each replica renders for itself until it can be used again`,
      place: { field: 'REDIS_SERVER' },
      remedies: ['Look at the Redis server, its password (REDIS_PASSWORD) and the network policies between'],
    },
    { handling: 'retryable' },
  );
}
