import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process of this machine. */
export interface ProcessFacts {
  readonly pid: number;
  /** Of its program, such as `node`. */
  readonly name: string;
  /** As it was started, shortened. */
  readonly command: string;
}

const listening = '0A';
const longestCommand = 200;

/** The process that listens on a TCP port, as far as this user may see it; undefined elsewhere than on Linux. */
export function processAt(port: number): ProcessFacts | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => socketsOf(file, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of entries('/proc').filter((name) => /^\d+$/.test(name)))
    if (entries(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`))))
      return processFacts(Number(pid));
  return undefined;
}

/** What is known of a process; undefined if there is none of that number. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const words = textOf(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);
  const name = textOf(`/proc/${pid}/comm`).trim();
  if (!name) return undefined;
  return { pid, name, command: words.join(' ').slice(0, longestCommand) };
}

/** `socket:[inode]` of those that listen on the port. */
function socketsOf(file: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return textOf(file)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${wanted}`) && fields[3] === listening)
    .map((fields) => `socket:[${fields[9]}]`);
}

function entries(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

function linkOf(path: string): string {
  return attempt(() => readlinkSync(path), '');
}

function textOf(file: string): string {
  return attempt(() => readFileSync(file, 'utf8'), '');
}

/** Processes end while they are looked at, and those of others are not for us. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
