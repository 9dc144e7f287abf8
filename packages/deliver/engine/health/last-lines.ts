import { type Diagnosis, DiagnosisError, type Remedy, redact } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';

/** Failures of containers, of which the log tells more than the status. */
const ofContainers: ReadonlySet<string> = new Set(['ContainerCrashing', 'PodFailed', 'ContainerOutOfMemory']);
/** What the kernel says of a program that it cannot run at all. */
const otherProcessor: Remedy = {
  text: "The program is built for another processor, or is no program: build the image for the node's architecture, or select nodes that fit",
};
const lines = 10;
const bytes = 4_096;

/**
 * The diagnosis of a container that ended with the last lines of its log as evidence: of the container that ended before
 * the present one, if there is one. Unchanged where there is no log to read.
 */
export async function withLastLines(diagnosis: Diagnosis, client: Client, signal?: AbortSignal): Promise<Diagnosis> {
  const pod = /^Pod ([^/ ]+)\/(\S+)$/.exec(diagnosis.place?.object ?? '');
  const container = /\[name=([^\]]+)\]/.exec(diagnosis.place?.field ?? '')?.[1];
  if (!pod?.[1] || !pod[2] || !container || !ofContainers.has(diagnosis.code)) return diagnosis;
  const ref = { namespace: pod[1], name: pod[2] };
  const text = (await read(ref, true)) || (await read(ref, false));
  if (!text) return diagnosis;
  return {
    ...diagnosis,
    evidence: [...diagnosis.evidence, { name: 'last lines of its log', value: redact(text) }],
    remedies: text.includes('exec format error') ? [otherProcessor, ...diagnosis.remedies] : diagnosis.remedies,
  };

  async function read(of: { namespace: string; name: string }, previous: boolean): Promise<string> {
    try {
      const chunks: Uint8Array[] = [];
      const options = { container: container as string, previous, tailLines: lines, limitBytes: bytes };
      let size = 0;
      for await (const chunk of client.logs(of, signal ? { ...options, signal } : options)) {
        chunks.push(chunk);
        size += chunk.length;
        // anyone who answers need not keep to what was asked for
        if (size >= bytes) break;
      }
      return Buffer.concat(chunks).toString('utf8').trimEnd().slice(-bytes);
    } catch (error) {
      signal?.throwIfAborted();
      // the log only adds to what is known: it may be gone, or not for us
      if (error instanceof DiagnosisError) return '';
      throw error;
    }
  }
}
