import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startEvents } from '@tiphys/events';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { inParallel } from '../fleet/fleet-workload.ts';
import { markdownTable } from '../table.ts';
import { allReady, eventsNamespace as namespace, sensorOf, sourceOf } from './events-objects.ts';
import { benchEventsSideBySide } from './events-side-by-side.ts';

const requests = 2000;
const callers = 32;
/** Sources beside which Argo Events is measured: it has two processes for each. */
const mostPeers = 100;

/**
 * Webhook → embedded bus on disk → http trigger, all in this process: events a second, latency, CPU and memory by the number of
 * sources and sensors; then those of one beside so many Secrets in its namespace, one of which it asks for with each request.
 */
export async function benchEvents(sizes: readonly number[], secrets: number): Promise<string> {
  const rows: string[][] = [];
  for (const size of sizes) rows.push(await measure(size, 0));
  if (secrets > 0) rows.push(await measure(1, secrets));
  const header = ['sources and sensors', 'events/s', 'events/s of a core', 'p50 ms', 'p99 ms', 'MiB for them'];
  const beside = benchEventsSideBySide(sizes.filter((size) => size <= mostPeers));
  const table = `Events: webhook → bus → http trigger, ${requests} events\n${markdownTable(header, rows)}`;
  return beside ? `${table}\n\nBeside Argo Events: ${beside}` : table;
}

async function measure(size: number, secrets: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-events-'));
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  const client = connect(sandbox.config, { caller: { component: 'bench', purpose: 'events' } });
  const events = await startEvents({
    client,
    namespace,
    clock: systemClock,
    signal: new AbortController().signal,
    onError: (key, error) => process.stderr.write(`${key}: ${error}\n`),
    env: {},
    sandbox: true,
    host: '127.0.0.1',
    scratch: folder,
    dataDir: folder,
  });
  const receiver = await receive();
  try {
    await inParallel(secrets, (index) => client.create(secretOf(index)));
    const port = await freePort();
    const before = memory();
    await makeAll(client, size, { port, url: receiver.url, guarded: secrets > 0 });
    const used = memory() - before;
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    let sent = 0;
    const call = async () => {
      while (sent < requests) {
        const number = sent++;
        await fetch(`http://127.0.0.1:${port}/p${number % size}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ id: number, sent: performance.now() }),
        });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    await receiver.all;
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const latencies = receiver.latencies.sort((a, b) => a - b);
    const at = (part: number) => (latencies[Math.floor(part * (latencies.length - 1))] ?? 0).toFixed(0);
    const core = (requests / ((user + system) / 1e6)).toFixed(0);
    return [
      secrets > 0 ? `1, beside ${secrets} Secrets` : String(size),
      (requests / seconds).toFixed(0),
      core,
      at(0.5),
      at(0.99),
      (used / 2 ** 20).toFixed(1),
    ];
  } finally {
    await events.close();
    receiver.close();
    await client.close();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
}

/** Bytes that live: what the system gave besides depends on what ran before in this process. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const token = 'bench';

function secretOf(index: number): KubeObject {
  const data = { token: Buffer.from(token).toString('base64'), filler: 'QUFB'.repeat(100) };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: `secret-${index}`, namespace }, data } as KubeObject;
}

interface Making {
  readonly port: number;
  readonly url: string;
  /** Whether callers show a token of a Secret. */
  readonly guarded: boolean;
}

async function makeAll(client: Client, size: number, { port, url, guarded }: Making): Promise<void> {
  const more = guarded ? { authSecret: { name: 'secret-0', key: 'token' } } : {};
  for (let i = 0; i < size; i++) {
    await client.create(sourceOf(i, port, more));
    await client.create(sensorOf(i, url));
  }
  await allReady(client, size);
}

/** Takes what the triggers send; `all` resolves when everything has come. */
async function receive() {
  const latencies: number[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    response.end();
    latencies.push(performance.now() - (JSON.parse(Buffer.concat(chunks).toString()) as { sent: number }).sent);
    if (latencies.length === requests) resolve();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, latencies, all, close };
}
