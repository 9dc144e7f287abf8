import { createServer } from 'node:net';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { processAt } from '@tiphys/inbound';

const portTaken = defineDiagnosis('PortTaken', 'The port of the API and the web page is taken by another program');

/** Ports that are tried for the offer. */
const offered = 50;

/**
 * Throws, in one sentence that names who has the port and the next free one, unless the port can be listened on. Nothing is
 * left open: another program may still be faster.
 */
export async function checkPort({ host, port }: { host: string; port: number }): Promise<void> {
  if (port === 0 || (await isFree(host, port))) return;
  throw await takenPort({ host, port });
}

/** The refusal to start on a port that is taken. */
export async function takenPort({ host, port }: { host: string; port: number }) {
  const owner = processAt(port);
  const next = await nextFree(host, port + 1);
  const by = owner ? `${owner.name} (process ${owner.pid})` : 'another program';
  const offer =
    next === undefined ? 'start with another --port' : `the next free one is ${next}: npm start -- --port ${next}`;
  return failure(portTaken, {
    message: `Port ${port} of ${host} is taken by ${by}; ${offer}`,
    place: { field: '--port' },
    evidence: { process: owner?.pid, command: owner?.command },
    remedies: [
      next === undefined
        ? 'Start with another --port'
        : { text: 'Take the next free port', paste: `npm start -- --port ${next}` },
    ],
  });
}

async function nextFree(host: string, from: number): Promise<number | undefined> {
  for (let port = from; port < Math.min(from + offered, 65_536); port++) if (await isFree(host, port)) return port;
  return undefined;
}

/** False only for a port that is taken: what else is wrong with the address is reported by who listens on it. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
