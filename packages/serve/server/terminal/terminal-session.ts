import type { PodTerminal, PodTerminalOutcome } from '@tiphys/kubernetes';
import type { WebSocket } from 'ws';
import type { Log } from '../ports/log.ts';
import { rpcErrorOf } from '../rpc/rpc-error.ts';
import type { SessionToken } from './session-token.ts';
import type { TerminalTarget } from './terminal-request.ts';

/** Milliseconds between two looks at the token and the permission of anyone who types nothing; each sends a ping. */
const checkInterval = 4_000;
/** Bytes that may wait for a slow browser before the command has to wait too. */
const highWater = 1 << 20;
const endOfTransmission = '\u0004';
/** Argo CD's page opens the terminal anew when it gets this. */
const reconnectCode = 1;

/** Between a browser and a shell, in Argo CD's messages: `{operation, data, rows, cols}` as JSON. */
export class TerminalSession {
  readonly #browser: WebSocket;
  readonly #target: TerminalTarget;
  readonly #token: SessionToken;
  readonly #log: Log;
  readonly #gone = new AbortController();
  #shell: PodTerminal | undefined;
  #size: { columns: number; rows: number } | undefined;
  #typed = false;
  /** Messages are taken one after the other: each is checked before it is passed on. */
  #turn: Promise<void> = Promise.resolve();

  constructor(browser: WebSocket, target: TerminalTarget, token: SessionToken, log: Log) {
    this.#browser = browser;
    this.#target = target;
    this.#token = token;
    this.#log = log;
  }

  /** Resolves when both sides are closed. */
  async run(): Promise<void> {
    const browser = this.#browser;
    const closed = new Promise<void>((resolve) => browser.once('close', () => resolve()));
    browser.on('error', () => browser.terminate());
    browser.on('message', (data: Buffer) => this.#queue(() => this.#message(data.toString('utf8'))));
    const timer = setInterval(() => {
      browser.ping('ping');
      this.#queue(() => this.#mayGoOn());
    }, checkInterval);
    void closed.then(() => {
      clearInterval(timer);
      this.#hangUp();
    });
    try {
      await this.#runShells();
    } catch (error) {
      if (!this.#gone.signal.aborted) this.#end(1011, rpcErrorOf(error).message);
    }
    await closed;
  }

  /** The shells in turn until one runs; one that cannot be started gives way to the next. */
  async #runShells(): Promise<void> {
    const { shells } = this.#target;
    const failures: string[] = [];
    for (const shell of shells) {
      const { exitCode, message } = await this.#runShell(shell);
      if (this.#gone.signal.aborted) return;
      const unknown = exitCode === undefined || ((exitCode === 126 || exitCode === 127) && !this.#typed);
      if (!unknown) return this.#end(1000, '');
      failures.push(`${shell}: ${message}`);
    }
    this.#end(
      1011,
      `No shell could be started. Tried ${failures.join('; ')}. Set exec.shells in argocd-cm to what the image has.`,
    );
  }

  async #runShell(shell: string): Promise<PodTerminalOutcome> {
    const { client, pod, container } = this.#target;
    // what is typed meanwhile is for the shell
    this.#browser.pause();
    const signal = this.#gone.signal;
    const terminal = await client
      .terminal(pod, { container, command: [shell], signal })
      .finally(() => this.#browser.resume());
    this.#shell = terminal;
    if (this.#size) terminal.resize(this.#size);
    const decoder = new TextDecoder();
    for await (const chunk of terminal.output) await this.#print(decoder.decode(chunk, { stream: true }));
    return await terminal.ended;
  }

  #queue(task: () => Promise<unknown>): void {
    this.#turn = this.#turn.then(task).then(
      () => undefined,
      (error: unknown) => this.#end(1011, rpcErrorOf(error).message),
    );
  }

  async #message(text: string): Promise<void> {
    if (this.#gone.signal.aborted || !(await this.#mayGoOn())) return;
    const message = parseMessage(text);
    if (message?.operation === 'stdin') {
      this.#typed = true;
      this.#shell?.write(Buffer.from(message.data, 'utf8'));
    } else if (message?.operation === 'resize') {
      this.#size = { columns: message.cols, rows: message.rows };
      this.#shell?.resize(this.#size);
    } else this.#end(1003, 'A message was not understood');
  }

  /** Whether the token and the permission still hold; ends the session if not. */
  async #mayGoOn(): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    const standing = await this.#token.standing(this.#target.object);
    if (standing === 'valid') return true;
    if (standing === 'forbidden') this.#end(1008, 'Permission denied');
    else {
      await this.#print('\nReconnect because the token was refreshed...\n');
      this.#browser.send(JSON.stringify({ Code: reconnectCode }));
      this.#end(1000, '');
    }
    return false;
  }

  /** Resolves when the browser has room for more. */
  async #print(data: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#browser.send(JSON.stringify({ operation: 'stdout', data, rows: 0, cols: 0 }), () => resolve());
    if (this.#browser.bufferedAmount > highWater) await promise;
  }

  /** Closes the browser's side after words that say why; empty words say nothing. */
  #end(code: number, words: string): void {
    if (this.#browser.readyState !== this.#browser.OPEN) return;
    if (words) {
      void this.#print(`\r\n${words}\r\n`);
      if (code === 1011) this.#log('warn', 'a terminal failed', { ...this.#target.pod, error: words });
    }
    this.#browser.close(code);
    this.#hangUp();
  }

  /** A shell that is left without its terminal would go on in the container: it is told to end. */
  #hangUp(): void {
    this.#gone.abort();
    this.#shell?.write(Buffer.from(endOfTransmission));
    this.#shell?.close();
  }
}

type Message = { operation: 'stdin'; data: string } | { operation: 'resize'; cols: number; rows: number };

function parseMessage(text: string): Message | undefined {
  let json: { operation?: unknown; data?: unknown; cols?: unknown; rows?: unknown };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    // anyone who sends no JSON is told that it was not understood
    return undefined;
  }
  const { operation, data, cols, rows } = json;
  if (operation === 'stdin' && typeof data === 'string') return { operation, data };
  return operation === 'resize' && isSize(cols) && isSize(rows) ? { operation, cols, rows } : undefined;
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535;
}
