import type { ServerResponse } from 'node:http';
import type { ServerContext } from '../machinery/server-context.ts';
import { sendText } from './answer.ts';

type Probe = 'healthz' | 'livez' | 'readyz';

/** Checks of each probe, in the order in which they are told. */
const CHECKS: Record<Probe, readonly string[]> = {
  healthz: ['ping', 'log', 'etcd'],
  livez: ['ping', 'log', 'etcd'],
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', 'shutdown'],
};

/** `/healthz`, `/livez`, `/readyz` and their single checks; undefined for other paths. */
export function probeOf(path: string): { probe: Probe; check: string | undefined } | undefined {
  const [, probe, check] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path) ?? [];
  return probe ? { probe: probe as Probe, check } : undefined;
}

/** Answers a probe with `ok`, or its checks one by one where one fails or `?verbose` asks for them; `?exclude=` leaves one out. */
export async function answerProbe(
  { store }: ServerContext,
  response: ServerResponse,
  { probe, check }: { probe: Probe; check: string | undefined },
  query: URLSearchParams,
): Promise<void> {
  const broken = await store.durable().then(
    () => undefined,
    (error: unknown) => error,
  );
  const fails = (name: string) => broken !== undefined && name.startsWith('etcd');
  if (check !== undefined) {
    if (!CHECKS[probe].includes(check)) sendText(response, 404, '404 page not found\n');
    else if (fails(check)) sendText(response, 500, `internal server error: ${String(broken)}\n`);
    else sendText(response, 200, 'ok');
    return;
  }
  const excluded = new Set(query.getAll('exclude'));
  const lines = CHECKS[probe].map((name) => {
    if (excluded.delete(name)) return `[+]${name} excluded: ok\n`;
    return fails(name) ? `[-]${name} failed: reason withheld\n` : `[+]${name} ok\n`;
  });
  if (excluded.size)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${[...excluded].map((name) => JSON.stringify(name)).join(', ')}\n`,
    );
  if (lines.some((line) => line.startsWith('[-]'))) sendText(response, 500, `${lines.join('')}${probe} check failed\n`);
  else sendText(response, 200, query.has('verbose') ? `${lines.join('')}${probe} check passed\n` : 'ok');
}
