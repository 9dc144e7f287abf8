import { connect } from 'node:net';
import type { Container, Probe } from '@tiphys/kube-controllers';
import type { Clock } from '@tiphys/kubernetes';
import type { ContainerProcess } from './container-runtime.ts';

type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

/** What runs a container for real, and what looks after it. */
export interface Launched {
  process: ContainerProcess;
  prober: ProcessProber;
}

/** Probes a container that really runs, on this machine's loopback, as a kubelet does it on the pod's address. */
export class ProcessProber {
  readonly #container: Container;
  readonly #process: ContainerProcess;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #stop = new AbortController();
  /** Failures that nobody was told of yet. */
  #failures: string[] = [];
  started: boolean;
  ready: boolean;
  /** The probe that wants the container to be restarted. */
  fatal: ProbeKind | undefined;

  constructor(
    container: Container,
    process: ContainerProcess,
    { clock, changed }: { clock: Clock; changed: () => void },
  ) {
    this.#container = container;
    this.#process = process;
    this.#clock = clock;
    this.#changed = changed;
    this.started = container.startupProbe === undefined;
    this.ready = container.readinessProbe === undefined;
    void this.#run();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** What failed since the last call, in the kubelet's words. */
  takeFailures(): string[] {
    return this.#failures.splice(0);
  }

  async #run(): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container;
    await this.#process.started;
    if (startupProbe)
      await this.#watch('Startup', startupProbe, (ok) => {
        this.started = ok;
        return ok;
      });
    if (!this.started) return;
    if (readinessProbe)
      void this.#watch('Readiness', readinessProbe, (ok) => {
        this.ready = ok;
        return false;
      });
    if (livenessProbe) void this.#watch('Liveness', livenessProbe, () => false);
  }

  /** Probes until `decided` says that it is enough, the container is to be restarted, or somebody stops it. */
  async #watch(kind: ProbeKind, probe: Probe, decided: (ok: boolean) => boolean): Promise<void> {
    const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3, successThreshold = 1 } = probe;
    const { signal } = this.#stop;
    let row = { ok: true, count: 0 };
    try {
      await this.#clock.sleep(initialDelaySeconds * 1000, signal);
      while (!signal.aborted && !this.#process.exit) {
        const failure = await this.#probe(probe);
        const ok = failure === undefined;
        row = ok === row.ok ? { ok, count: row.count + 1 } : { ok, count: 1 };
        if (failure) this.#failures.push(`${kind} probe failed: ${failure}`);
        if (row.count === (ok ? successThreshold : failureThreshold)) {
          if (!ok && kind !== 'Readiness') this.fatal = kind;
          const enough = decided(ok);
          this.#changed();
          if (enough || this.fatal) return;
        } else if (failure) this.#changed();
        await this.#clock.sleep(periodSeconds * 1000, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Why the probe failed; undefined if it did not. */
  #probe(probe: Probe): Promise<string | undefined> {
    const limit = (probe.timeoutSeconds ?? 1) * 1000;
    if (probe.exec?.command) return this.#exec(probe.exec.command, limit);
    if (probe.httpGet) return this.#http(probe.httpGet, limit);
    const port = this.#port((probe.tcpSocket ?? probe.grpc)?.port ?? 0);
    return reaches(port, limit);
  }

  async #exec(command: readonly string[], limit: number): Promise<string | undefined> {
    const session = this.#process.exec(command, { tty: false });
    session.stdin.end();
    let output = '';
    for (const stream of [session.stdout, session.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(0, 10_240);
      });
    const late = new AbortController();
    const code = await Promise.race([
      session.exit,
      this.#clock.sleep(limit, late.signal).then(
        () => 'late' as const,
        () => 'late' as const,
      ),
    ]);
    late.abort();
    if (code === 0) return undefined;
    session.kill();
    return code === 'late'
      ? `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${limit / 1000}s`
      : output;
  }

  async #http(
    { path = '/', port, scheme = 'HTTP' }: NonNullable<Probe['httpGet']>,
    limit: number,
  ): Promise<string | undefined> {
    const url = `${scheme.toLowerCase()}://127.0.0.1:${this.#port(port)}${path.startsWith('/') ? path : `/${path}`}`;
    try {
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { 'user-agent': 'kube-probe/1.34', accept: '*/*' },
        signal: AbortSignal.timeout(limit),
      });
      await answer.body?.cancel();
      return answer.status >= 200 && answer.status < 400
        ? undefined
        : `HTTP probe failed with statuscode: ${answer.status}`;
    } catch (error) {
      const { cause = error } = error as Error;
      return `Get ${JSON.stringify(url)}: ${(cause as Error).message}`;
    }
  }

  #port(port: number | string): number {
    if (typeof port === 'number') return port;
    return this.#container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port);
  }
}

function reaches(port: number, limit: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: limit });
    const end = (failure: string | undefined) => {
      socket.destroy();
      resolve(failure);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`dial tcp 127.0.0.1:${port}: i/o timeout`));
    socket.once('error', () => end(`dial tcp 127.0.0.1:${port}: connect: connection refused`));
  });
}
