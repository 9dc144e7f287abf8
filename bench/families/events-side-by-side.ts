import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { makeCertificate } from '@tiphys/git/testing';
import { connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { type ServerProcess, startServer } from '../../packages/automate/events/bus/testing/server-binary.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';
import { processorTime, residentTogether, TiphysProcess } from '../process.ts';
import { markdownTable } from '../table.ts';
import { isThere } from './contender.ts';
import { allReady, eventsNamespace as namespace, sensorOf, sourceOf } from './events-objects.ts';
import { bridgeAddress, makeBridge, PeerProcess } from './peer-processes.ts';

const requests = 4000;
/** Events before those that count: what is measured has run for a while, as processes do that run for weeks. */
const warming = 6000;
const callers = 32;
/** Milliseconds after which an event that has not come is lost: by default triggers act at most once. */
const quiet = 20_000;

/** Set in the process that has a network of its own. */
const insideVariable = 'TIPHYS_BENCH_OWN_NETWORK';

/** What is measured: processes that hear webhooks at these addresses, one for each source, and call the receiver. */
interface Running {
  readonly webhooks: readonly string[];
  /** Processes of the contender itself, by what programs they are. */
  readonly pids: readonly number[];
  /** The bus, where it is a process of its own. */
  readonly busPid: number | undefined;
  stop(): Promise<void>;
}

type Contender = (size: number, receiver: string) => Promise<Running>;

/**
 * Webhook → bus → http trigger by Tiphys' own process and by Argo Events' processes, as its pods are, each in its own network
 * and with its own /tmp; JetStream is one server for either. Undefined where that cannot be, since there is no `argo-events` on PATH or no root.
 */
export function benchEventsSideBySide(sizes: readonly number[]): string | undefined {
  if (!isThere('argo-events') || !isThere('unshare') || process.getuid?.() !== 0) return undefined;
  const inside = [
    '-n',
    '-m',
    'sh',
    '-c',
    'ip link set lo up && exec "$@"',
    'sh',
    process.execPath,
    ...process.execArgv,
  ];
  const { status, stdout } = spawnSync('unshare', [...inside, import.meta.filename, ...sizes.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [insideVariable]: '1' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The measurement beside Argo Events ended with ${status}`);
  return stdout;
}

async function main(): Promise<void> {
  makeBridge();
  const contenders: readonly [string, Contender][] = [
    ['Tiphys, embedded bus', (size, receiver) => startTiphys(size, receiver, 'embedded')],
    ['Tiphys, JetStream', (size, receiver) => startTiphys(size, receiver, 'jetstream')],
    ['Argo Events, JetStream', startPeer],
  ];
  const rows: string[][] = [];
  for (const size of process.argv.slice(2).map(Number))
    for (const [name, start] of contenders) {
      const row = [name, String(size), ...(await measure(start, size))];
      process.stderr.write(`${row.join(' | ')}\n`);
      rows.push(row);
    }
  const header = [
    '',
    'sources and sensors',
    'events/s',
    'events/s of a core',
    'p50 ms',
    'p99 ms',
    'lost',
    'processes',
    'MiB',
  ];
  process.stdout.write(
    `${requests} events of ${callers} callers, after ${warming} others\n${markdownTable(header, rows)}`,
  );
}

async function measure(start: Contender, size: number): Promise<string[]> {
  const receiver = await startReceiver();
  const running = await start(size, receiver.url);
  const all = [...running.pids, ...(running.busPid ? [running.busPid] : [])];
  const cpu = () => all.reduce((sum, pid) => sum + processorTime(pid), 0);
  try {
    // a sensor hears what comes from when its consumer is there: nothing but an event tells
    for (const [index, url] of running.webhooks.entries())
      while (!receiver.heard.has(`w${index}`)) {
        await post(url, { id: `w${index}` });
        await systemClock.sleep(100);
      }
    await systemClock.sleep(5000);
    const idle = residentTogether(running.pids);
    const send = async (count: number, name: string) => {
      const came = receiver.expect(count);
      let sent = 0;
      const call = async () => {
        while (sent < count) {
          const number = sent++;
          await post(running.webhooks[number % size] ?? '', { id: `${name}${number}`, sent: performance.now() });
        }
      };
      await Promise.all(Array.from({ length: callers }, call));
      return came();
    };
    await send(warming, 'before');
    const [began, before] = [performance.now(), cpu()];
    const { latencies, last } = await send(requests, 'm');
    latencies.sort((a, b) => a - b);
    const seconds = (last - began) / 1000;
    const at = (part: number) => (latencies[Math.floor(part * (latencies.length - 1))] ?? 0).toFixed(0);
    return [
      (requests / seconds).toFixed(0),
      (requests / ((cpu() - before) / 1000)).toFixed(0),
      at(0.5),
      at(0.99),
      String(requests - latencies.length),
      String(running.pids.length),
      (idle / 2 ** 20).toFixed(0),
    ];
  } finally {
    await running.stop();
    receiver.close();
  }
}

async function post(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
}

/** Takes what the triggers send. */
async function startReceiver() {
  const heard = new Set<string>();
  let latencies: number[] = [];
  let last = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    response.end();
    const { id, sent } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; sent?: number };
    if (heard.has(id)) return;
    heard.add(id);
    last = performance.now();
    if (sent) latencies.push(last - sent);
  });
  await new Promise<void>((listening) => server.listen(0, bridgeAddress, listening));
  return {
    url: `http://${bridgeAddress}:${(server.address() as AddressInfo).port}/`,
    heard,
    /** Begins to count; gives how long each event took, and when the last came, once all have or none comes any more. */
    expect(count: number) {
      latencies = [];
      return async () => {
        while (latencies.length < count && performance.now() - last < quiet) await systemClock.sleep(20);
        return { latencies, last };
      };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** JetStream with TLS, without which Argo Events does not connect. */
async function startJetStream(): Promise<{ readonly server: ServerProcess; readonly url: string }> {
  const port = await freePort(bridgeAddress);
  const args = (folder: string) => {
    makeCertificate(folder, { names: `IP:${bridgeAddress}` });
    const tls = `tls { cert_file: "${folder}/tls.crt", key_file: "${folder}/tls.key" }`;
    const config = `listen: "${bridgeAddress}:${port}"\njetstream { store_dir: "${folder}/js" }\n${tls}\n`;
    writeFileSync(join(folder, 'nats.conf'), config);
    return ['-c', join(folder, 'nats.conf')];
  };
  const server = await startServer('nats-server', args, /Server is ready/);
  return { server, url: `nats://${bridgeAddress}:${port}` };
}

async function startTiphys(size: number, receiver: string, kind: 'embedded' | 'jetstream'): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-events-'));
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  const client = connect(sandbox.config, { caller: { component: 'bench', purpose: 'events' } });
  const bus = kind === 'jetstream' ? await startJetStream() : undefined;
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 });
  await ensureDefinitions(client, eventsDefinitions(), systemClock);
  const spec = bus ? { jetstreamExotic: { url: bus.url, tls: { insecureSkipVerify: true } } } : { embedded: {} };
  const apiVersion = 'argoproj.io/v1alpha1';
  await client.create({ apiVersion, kind: 'EventBus', metadata: { name: 'default', namespace }, spec } as KubeObject);
  const tiphys = new TiphysProcess([
    ...['--role', 'events', '--kubeconfig', kubeconfig, '--namespace', namespace, '--host', bridgeAddress],
    ...['--data', join(folder, 'data'), '--no-metrics'],
  ]);
  const port = await freePort(bridgeAddress);
  for (let index = 0; index < size; index++) {
    await client.create(sourceOf(index, port));
    await client.create(sensorOf(index, receiver));
  }
  await allReady(client, size);
  return {
    webhooks: Array.from({ length: size }, (_, index) => `http://${bridgeAddress}:${port}/p${index}`),
    pids: [tiphys.pid],
    busPid: bus?.server.pid,
    async stop() {
      await tiphys.stop();
      await bus?.server.stop();
      await client.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startPeer(size: number, receiver: string): Promise<Running> {
  const bus = await startJetStream();
  const config = { jetstream: { url: bus.url, streamConfig: '' } };
  const processes: PeerProcess[] = [];
  const start = async (command: string, variable: string, object: KubeObject) => {
    const env = {
      [variable]: Buffer.from(JSON.stringify(object)).toString('base64'),
      EVENTBUS_CONFIG: Buffer.from(JSON.stringify(config)).toString('base64'),
      EVENTBUS_SUBJECT: `eventbus-${namespace}`,
      POD_NAME: object.metadata.name ?? '',
      LOG_LEVEL: 'error',
    };
    const child = await PeerProcess.start(processes.length, 'argo-events', [command], env);
    processes.push(child);
    return child;
  };
  const webhooks: string[] = [];
  for (let index = 0; index < size; index++) {
    const source = await start('eventsource-service', 'EVENTSOURCE_OBJECT', sourceOf(index, 12_000));
    await start('sensor-service', 'SENSOR_OBJECT', sensorOf(index, receiver));
    webhooks.push(`http://${source.address}:12000/p${index}`);
  }
  await Promise.all(processes.map((child) => child.hears(7777)));
  await Promise.all(webhooks.map((_, index) => processes[2 * index]?.hears(12_000)));
  return {
    webhooks,
    pids: processes.map(({ pid }) => pid),
    busPid: bus.server.pid,
    async stop() {
      await Promise.all(processes.map((child) => child.stop()));
      await bus.server.stop();
    },
  };
}

if (process.env[insideVariable]) {
  await main();
  process.exit();
}
