import { rpcErrorOf } from '../rpc/rpc-error.ts';
import { type HttpResponse, isGone } from '../transport/http-message.ts';
import { Outbox } from '../transport/outbox.ts';

export interface LogLine {
  readonly content: string;
  readonly last: boolean;
}

const resourceName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** A log as a file for a browser, named after the pod and container of the query; what goes wrong is its last line. */
export async function downloadLog(
  response: HttpResponse,
  lines: AsyncIterable<LogLine>,
  query: URLSearchParams,
): Promise<void> {
  if (isGone(response)) return;
  const parts = ['namespace', 'podName', 'container'].map((name) => query.get(name) ?? '');
  const name = parts.every((part) => resourceName.test(part)) ? parts.join('-') : 'log';
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Disposition', `attachment;filename="${name}.log"`);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const outbox = new Outbox(response);
  try {
    for await (const { content, last } of lines) {
      if (last) break;
      await outbox.put(`${content}\n`);
    }
  } catch (error) {
    await outbox.put(rpcErrorOf(error).message);
  }
  await outbox.flush();
  if (!isGone(response)) response.end();
}
