import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@tiphys/kubernetes';
import { freePort } from '../../../scripts/testing/free-ports.ts';
import { type Answer, IngressState, type RequestProxy } from './ingress-state.ts';
import { PodServers } from './pod-servers.ts';

/** A configuration that is loaded is in use by every worker after so long, in milliseconds. */
const startLimit = 20_000;

/**
 * A real nginx before a real server for each pod. Its configuration is written anew from Ingresses and EndpointSlices whenever they
 * change, and it reloads it without a pause. It tries no second pod, so that each request that fails is seen.
 */
export class NginxProxy implements RequestProxy {
  readonly #state: IngressState;
  readonly #pods: PodServers;
  readonly #program: string;
  readonly #folder: string;
  #port = 0;
  #process: ChildProcess | undefined;
  #written = '';
  #writing: Promise<void> = Promise.resolve();

  constructor(client: Client, { namespace, program, folder }: { namespace: string; program: string; folder: string }) {
    this.#state = new IngressState(client, namespace);
    this.#pods = new PodServers(client, namespace);
    this.#program = program;
    this.#folder = folder;
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#state.start(signal);
    this.#port = await freePort();
    await this.#write();
    const args = ['-p', this.#folder, '-c', this.#file, '-e', join(this.#folder, 'error.log')];
    this.#process = spawn(this.#program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    this.#state.subscribe(() => {
      this.#writing = this.#writing.then(() => this.#write());
    });
    await answers(this.#port);
  }

  async close(): Promise<void> {
    await this.#writing;
    const ended = new Promise((resolve) => this.#process?.once('exit', resolve));
    this.#process?.kill('SIGTERM');
    await ended;
    await this.#pods.close();
  }

  call(): Promise<Answer> {
    return new Promise((resolve) => {
      const asked = request({ host: '127.0.0.1', port: this.#port, agent: false }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        const text = Buffer.concat(parts).toString();
        resolve({
          ok: response.statusCode === 200,
          text: response.statusCode === 200 ? text : `${response.statusCode}: ${text}`,
        });
      });
      asked.on('error', (error) => resolve({ ok: false, text: `nginx: ${error.message}` }));
      asked.end();
    });
  }

  get #file(): string {
    return join(this.#folder, 'nginx.conf');
  }

  async #write(): Promise<void> {
    const { stable, canary, weight } = this.#state.routes();
    const upstreams = await Promise.all([this.#upstream('stable', stable), this.#upstream('canary', canary ?? stable)]);
    const text = configuration({ folder: this.#folder, port: this.#port, weight: canary ? weight : 0, upstreams });
    if (text === this.#written) return;
    this.#written = text;
    writeFileSync(`${this.#file}.new`, text);
    renameSync(`${this.#file}.new`, this.#file);
    this.#process?.kill('SIGHUP');
  }

  async #upstream(name: string, service: string): Promise<string> {
    const ports = await Promise.all(this.#state.podsOf(service).map((pod) => this.#pods.portOf(pod)));
    // an upstream without a server is no configuration: nobody listens there
    const servers = ports.length > 0 ? ports : [1];
    return `upstream ${name} { ${servers.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ')} }`;
  }
}

function configuration({
  folder,
  port,
  weight,
  upstreams,
}: {
  folder: string;
  port: number;
  weight: number;
  upstreams: readonly string[];
}): string {
  const share = weight > 0 ? `${weight}% canary; ` : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  ${upstreams.join('\n  ')}
  split_clients $request_id $chosen { ${share}* stable; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://$chosen;
      proxy_next_upstream off;
    }
  }
}
`;
}

/** Waits until somebody listens at a port. */
async function answers(port: number): Promise<void> {
  const limit = AbortSignal.timeout(startLimit);
  while (!(await listens(port))) {
    if (limit.aborted) throw new Error(`nginx does not listen at port ${port}`);
    await sleep(50);
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
