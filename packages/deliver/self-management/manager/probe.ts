import type { Client } from '@tiphys/kubernetes';

/** Time for an answer, in milliseconds. */
const timeout = 5_000;
/** Bytes of an answer that are looked at. */
const largest = 4 << 20;

/** Asks a pod through the API server: text of a good answer, or what is wrong with it. */
export async function askPod(
  client: Client,
  { namespace, name, port, path }: { namespace: string; name: string; port: number; path: string },
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const url = `/api/v1/namespaces/${namespace}/pods/${name}:${port}/proxy${path}`;
  const what = `GET ${path} of pod ${name}`;
  try {
    const answer = await client.request('GET', url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    const text = (await answer.text()).slice(0, largest);
    return answer.status < 400 ? { text } : { problem: `${what} was answered with ${answer.status}` };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `${what}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 500) };
  }
}

/** The resident memory in a text of metrics, in bytes. */
export function residentMemory(metrics: string): number | undefined {
  const value = /^process_resident_memory_bytes (\d[\d.e+]*)$/m.exec(metrics)?.[1];
  return value === undefined ? undefined : Number(value);
}
