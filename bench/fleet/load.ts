import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { isUp, TiphysProcess } from '../process.ts';
import { markdownTable, mebibytes, ratio } from '../table.ts';

const watches = 2_000;
const slowClients = 200;
const hostileRequests = 10_000;
/** Requests of the hostile user that are under way at once. */
const hostileParallel = 50;
const friendlyRequests = 200;
/** Milliseconds from one request of the friendly user to the next. */
const friendlyPause = 50;
/** What the load may add to the memory of the process: 2,000 watches and 200 half-sent bodies are some 50 KiB each. */
const memoryBound = 400 * 1024 * 1024;
/** How many times its idle p99 a friendly user may wait. */
const slower = 10;

/**
 * A friendly user beside 2,000 idle watches, 200 clients that send a byte now and then, and a user who sends 10,000 requests as fast as
 * they are answered. Throws where the friendly user waits more than ten times as long as before, or memory grows beyond the bound.
 */
export async function benchLoad(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-load-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const tiphys = new TiphysProcess(['--no-example', '--no-metrics', '--kubeconfig-out', kubeconfig]);
  const sockets: Socket[] = [];
  let client: Client | undefined;
  try {
    const [, url = '', password = ''] = await tiphys.printed(isUp);
    client = connect(loadKubeconfig(readFileSync(kubeconfig, 'utf8'), { baseDir: folder }), {
      caller: { component: 'bench', purpose: 'load' },
      clock: systemClock,
    });
    const server = new LoadedServer(url);
    const admin = await server.login('admin', password);
    const hostile = await makeUser(client, server, { admin, password });
    await server.friendly(admin);
    const idle = await server.friendly(admin);
    const before = tiphys.memory();
    const rows = [['idle', ...cells(idle, idle), mebibytes(before)]];
    const step = async (what: string, begin: () => Promise<unknown>) => {
      const under = begin();
      const waited = await server.friendly(admin);
      rows.push([what, ...cells(waited, idle), mebibytes(tiphys.memory())]);
      await under;
      return waited;
    };
    await step(`${watches} idle watches`, async () => {
      for (let index = 0; index < watches; index += 1) sockets.push(await server.watch(admin));
    });
    await step(`and ${slowClients} slow clients`, async () => {
      for (let index = 0; index < slowClients; index += 1)
        sockets.push(await server.slow(index % 2 === 0 ? admin : undefined));
    });
    const answers = new Map<number, number>();
    const worst = await step(`and ${hostileRequests} requests of a hostile user`, () => server.flood(hostile, answers));
    const grown = tiphys.peakMemory() - before;
    const open = sockets.slice(0, watches).filter((socket) => !socket.closed).length;
    const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
    const table = markdownTable(['load', 'p50', 'p99', 'of idle p99', 'memory'], rows);
    if (p(worst, 0.99) > slower * p(idle, 0.99)) throw new Error(`the friendly user waits too long:\n${table}`);
    if (grown > memoryBound) throw new Error(`memory grew by ${mebibytes(grown)}:\n${table}`);
    return `## Load (one process with its sandbox)\n\n${table}\n\nThe hostile user was answered ${told}; ${open} watches were still open; memory grew by ${mebibytes(grown)} at most.`;
  } finally {
    for (const socket of sockets) socket.destroy();
    await tiphys.stop();
    await client?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const p = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;

function cells(times: readonly number[], idle: readonly number[]): string[] {
  const shown = (value: number) => `${value.toFixed(1)} ms`;
  return [shown(p(times, 0.5)), shown(p(times, 0.99)), ratio(p(times, 0.99) / p(idle, 0.99))];
}

async function makeUser(
  client: Client,
  server: LoadedServer,
  { admin, password }: { admin: string; password: string },
): Promise<string> {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd' };
  await client.patch({ ...settings, name: 'argocd-cm' }, 'merge', { data: { 'accounts.hostile': 'login' } });
  await client.patch({ ...settings, name: 'argocd-rbac-cm' }, 'merge', { data: { 'policy.default': 'role:readonly' } });
  const body = { name: 'hostile', currentPassword: password, newPassword: 'hostile-password-1' };
  // until the server has seen the account
  for (let status = 0; status !== 200; ) {
    await systemClock.sleep(100);
    status = (await server.send('PUT', '/api/v1/account/password', { token: admin, body })).status;
  }
  return await server.login('hostile', body.newPassword);
}

/** The server under load, and the ways to put it there. */
class LoadedServer {
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}) {
    return await fetch(new URL(path, this.#url), {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async login(username: string, password: string): Promise<string> {
    const answer = await this.send('POST', '/api/v1/session', { body: { username, password } });
    return ((await answer.json()) as { token: string }).token;
  }

  /** Times of requests that a user makes one after the other, in milliseconds. */
  async friendly(token: string): Promise<number[]> {
    const times: number[] = [];
    for (let count = 0; count < friendlyRequests; count += 1) {
      const from = performance.now();
      await new Promise<void>((resolve, reject) =>
        get(new URL('/api/v1/applications', this.#url), { headers: { authorization: `Bearer ${token}` } }, (response) =>
          response.resume().once('end', resolve),
        ).once('error', reject),
      );
      times.push(performance.now() - from);
      await systemClock.sleep(friendlyPause);
    }
    return times;
  }

  /** A watch that nobody writes to: not even its head comes before the first event. */
  watch(token: string): Promise<Socket> {
    return this.#open(`GET /api/v1/stream/applications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  }

  /** A body of which a byte comes now and then. */
  async slow(token: string | undefined): Promise<Socket> {
    const who = token ? `Authorization: Bearer ${token}\r\n` : '';
    const head = `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${who}Content-Length: 60000\r\n\r\n{`;
    const socket = await this.#open(head);
    const drip = setInterval(() => socket.writable && socket.write(' '), 1_000);
    socket.once('close', () => clearInterval(drip));
    return socket;
  }

  #open(text: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connectTcp(Number(this.#url.port), this.#url.hostname, () => {
        socket.write(text);
        resolve(socket);
      });
      socket.on('error', reject);
      socket.resume();
    });
  }

  /** As fast as they are answered. */
  async flood(token: string, answers: Map<number, number>): Promise<void> {
    let left = hostileRequests;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        const { status, body } = await this.send('GET', '/api/v1/applications', { token });
        await body?.cancel();
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: hostileParallel }, worker));
  }
}
