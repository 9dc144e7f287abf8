import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below those that a kernel gives to anyone who asks for any (32768 to 60999 on Linux, 49152 to 65535 elsewhere): what was free when it
 * was looked at is not given to a connection of another test before its program listens on it.
 */
const lowest = 12_000;
const highest = 30_000;

const loopback = '127.0.0.1';

/** Different ports of an address of this machine on which nobody listens, for programs that must be told theirs. */
export async function freePorts(count: number, host = loopback): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(lowest, highest);
    if (await isFree(port, host)) found.add(port);
  }
  return [...found];
}

/** One of `freePorts`. */
export async function freePort(host = loopback): Promise<number> {
  const [port] = (await freePorts(1, host)) as [number];
  return port;
}

function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    );
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
