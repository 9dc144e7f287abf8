import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { failedPlugin } from '../model/diagnoses.ts';
import { type CallArgument, RpcClient } from '../rpc/rpc-client.ts';
import { MuxSession } from '../yamux/session.ts';

export interface PluginCommand {
  /** Name in the configuration, for messages. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Value of the magic cookie: `step`, `metricprovider`, `trafficrouter`. */
  readonly cookie: string;
  /** Name that the implementation has in the plugin. */
  readonly implementation: string;
}

/** A plugin has this long to say where it serves. */
const startTimeout = 60_000;
/** Lines of its log that are kept for a diagnosis. */
const keptLines = 20;

/** A running plugin: HashiCorp's go-plugin over a socket, with net/rpc. */
export class PluginProcess {
  readonly #child: ChildProcess;
  readonly #session: MuxSession;
  readonly #control: RpcClient;
  readonly #implementation: RpcClient;

  private constructor(child: ChildProcess, session: MuxSession, control: RpcClient, implementation: RpcClient) {
    this.#child = child;
    this.#session = session;
    this.#control = control;
    this.#implementation = implementation;
  }

  /** Starts the program, shakes hands and asks for the implementation. Throws a diagnosis with the end of its log. */
  static async start(command: PluginCommand): Promise<PluginProcess> {
    const child = spawn(command.file, command.args, {
      env: {
        ...command.environment,
        ARGO_ROLLOUTS_RPC_PLUGIN: command.cookie,
        PLUGIN_PROTOCOL_VERSIONS: '1',
        PLUGIN_MIN_PORT: '10000',
        PLUGIN_MAX_PORT: '25000',
      } as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log: string[] = [];
    if (child.stderr)
      createInterface({ input: child.stderr }).on('line', (line) => {
        log.push(line);
        if (log.length > keptLines) log.shift();
      });
    try {
      const session = new MuxSession(await dial(await greeting(child)));
      const control = new RpcClient(session.open());
      // go-plugin expects streams for what the plugin prints, though it prints nothing there
      session.open();
      session.open();
      const implementation = await dispense(session, control, command.implementation);
      return new PluginProcess(child, session, control, implementation);
    } catch (error) {
      child.kill('SIGKILL');
      throw failedPlugin(
        `unable to get plugin client (${command.name}): ${error instanceof Error ? error.message : String(error)}`,
        log.length > 0 ? { log: log.join('\n') } : {},
        error,
      );
    }
  }

  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Calls a method of the implementation. */
  call(method: string, argument: CallArgument): Promise<unknown> {
    return this.#implementation.call(`Plugin.${method}`, argument);
  }

  /** Rejects if the plugin does not answer any more. */
  async ping(): Promise<void> {
    await this.#control.call('Control.Ping', { basic: true });
  }

  /** Asks the plugin to end, and ends it. */
  async close(): Promise<void> {
    if (this.exited) return;
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    // the answer does not matter: a plugin may end before it answers
    await Promise.race([this.#control.call('Control.Quit', { basic: true }).catch(() => undefined), ended]);
    this.#session.close();
    this.#child.kill('SIGKILL');
    await ended;
  }
}

interface Greeting {
  readonly network: string;
  readonly address: string;
}

/** The line by which a plugin tells its protocols and its address: `1|1|unix|/tmp/plugin1|netrpc|`. */
export function parseGreeting(line: string): Greeting {
  const [core = '', app = '', network = '', address = '', protocol = 'netrpc'] = line.trim().split('|');
  if (core !== '1' || address === '')
    throw new Error(`the plugin does not greet as go-plugin does: ${JSON.stringify(line.slice(0, 200))}`);
  if (app !== '1') throw new Error(`the plugin speaks version ${app} of its protocol; version 1 is spoken here`);
  if (protocol !== 'netrpc' && protocol !== '')
    throw new Error(`the plugin speaks ${protocol}; plugins of Rollouts speak netrpc`);
  if (network !== 'unix' && network !== 'tcp') throw new Error(`the plugin serves on ${network}`);
  return { network, address };
}

function greeting(child: ChildProcess): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the plugin did not greet within ${startTimeout / 1000}s`)),
      startTimeout,
    );
    const settle = (act: () => void) => {
      clearTimeout(timer);
      try {
        act();
      } catch (error) {
        reject(error);
      }
    };
    child.once('error', (error) => settle(() => reject(error)));
    // not before its log is complete
    child.once('close', (code) =>
      settle(() => reject(new Error(`the plugin ended with code ${code} before it greeted`))),
    );
    if (child.stdout)
      createInterface({ input: child.stdout }).once('line', (line) => settle(() => resolve(parseGreeting(line))));
  });
}

function dial({ network, address }: Greeting): Promise<Duplex> {
  const colon = address.lastIndexOf(':');
  const target =
    network === 'unix' ? { path: address } : { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  return new Promise((resolve, reject) => {
    const socket = connect(target, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Asks for an implementation and opens a stream to it, which begins with its number in both directions. */
async function dispense(session: MuxSession, control: RpcClient, name: string): Promise<RpcClient> {
  const id = Number(await control.call('Dispenser.Dispense', { basic: name }));
  const stream = session.open();
  const number = Buffer.alloc(4);
  number.writeUInt32LE(id);
  let held: Buffer = Buffer.alloc(0);
  const rest = await new Promise<Buffer>((resolve, reject) => {
    stream.onEnd = (error) => reject(error ?? new Error('the plugin closed the stream of its implementation'));
    stream.onData = (data) => {
      held = Buffer.concat([held, data]);
      if (held.length < 4) return;
      if (held.readUInt32LE() === id) resolve(held.subarray(4));
      else reject(new Error('the plugin answers with another stream'));
    };
    stream.write(number);
  });
  const client = new RpcClient(stream);
  if (rest.length > 0) stream.onData(rest);
  return client;
}
