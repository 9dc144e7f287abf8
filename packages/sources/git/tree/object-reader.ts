import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { failure } from '@tiphys/diagnosis';
import { killGroup } from '../connect/git-process.ts';
import { gitMissing, mirrorCorrupt } from '../repository/diagnoses.ts';

/** A git object: its full id, type and size. */
export interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
}

interface Waiting {
  readonly kind: 'info' | 'contents';
  readonly oid: string;
  resolve(value: (ObjectInfo & { content?: Buffer }) | undefined): void;
  reject(error: unknown): void;
}

/** Milliseconds without a question after which git ends: many repositories are read once, and then nobody asks for a long time. */
const usualIdle = 60_000;

/** One `git cat-file --batch-command`, started when it is first asked and again after it ended; answers in order. */
export class ObjectReader {
  readonly #directory: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcessWithoutNullStreams | undefined;
  #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #buffered = 0;
  #header: ObjectInfo | undefined;
  #stderr = '';
  readonly #idle: number;
  #rest: NodeJS.Timeout | undefined;

  constructor(directory: string, environment: Readonly<Record<string, string>>, idle = usualIdle) {
    this.#directory = directory;
    this.#environment = environment;
    this.#idle = idle;
  }

  /** Whether git runs. */
  get alive(): boolean {
    return this.#child !== undefined;
  }

  get busy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Of an object id or any name of one, such as `abc1234^{commit}`. Undefined if it is not there or ambiguous. */
  info(oid: string): Promise<ObjectInfo | undefined> {
    return this.#ask('info', oid);
  }

  /** The whole object; ask for its size first where it is not trusted. Undefined if it is not there. */
  async contents(oid: string): Promise<{ type: string; content: Buffer } | undefined> {
    const answer = await this.#ask('contents', oid);
    return answer?.content ? { type: answer.type, content: answer.content } : undefined;
  }

  close(): void {
    clearTimeout(this.#rest);
    const child = this.#child;
    this.#child = undefined;
    if (child) killGroup(child);
    this.#fail('the reader was closed');
  }

  #ask(kind: Waiting['kind'], oid: string): Promise<(ObjectInfo & { content?: Buffer }) | undefined> {
    return new Promise((resolve, reject) => {
      // A line break would be a second command.
      if (/[\s\0]/.test(oid)) throw new Error(`"${oid}" is no name of a git object`);
      const child = this.#start();
      clearTimeout(this.#rest);
      if (this.#waiting.length === 0) hold(child, true);
      this.#waiting.push({ kind, oid, resolve, reject });
      child.stdin.write(`${kind} ${oid}\n`);
    });
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child) return this.#child;
    const child = spawn('git', ['--git-dir', this.#directory, 'cat-file', '--batch-command'], {
      env: { ...this.#environment },
      detached: true,
      stdio: 'pipe',
    });
    this.#child = child;
    this.#chunks = [];
    this.#buffered = 0;
    this.#header = undefined;
    this.#stderr = '';
    hold(child, false);
    child.stdout.on('data', (chunk: Buffer) => this.#receive(child, chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-2048);
    });
    child.stdin.on('error', () => this.#end(child));
    child.once('error', (error) => this.#end(child, error.message));
    child.once('close', () => this.#end(child));
    return child;
  }

  #end(child: ChildProcessWithoutNullStreams, reason = this.#stderr.trim()): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    killGroup(child);
    this.#fail(reason || 'git cat-file ended');
  }

  #fail(reason: string): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (/unknown option|usage: git cat-file/.test(reason)) {
      const tooOld = failure(gitMissing, {
        message: 'The program git is older than 2.36',
        remedies: ['Install git 2.36 or newer'],
      });
      for (const { reject } of waiting) reject(tooOld);
      return;
    }
    for (const { oid, reject } of waiting) {
      reject(
        failure(
          mirrorCorrupt,
          { message: `Object ${oid} cannot be read from the local copy of the repository: ${reason}` },
          { handling: 'retryable' },
        ),
      );
    }
  }

  #receive(child: ChildProcessWithoutNullStreams, chunk: Buffer): void {
    if (this.#child !== child) return;
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#step()) {
      // Each step takes one header or one body off the buffer.
    }
    if (this.#waiting.length > 0) return;
    hold(child, false);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.close(), this.#idle).unref();
  }

  #step(): boolean {
    const request = this.#waiting[0];
    if (!request || this.#buffered === 0) return false;
    return this.#header ? this.#takeBody(request, this.#header) : this.#takeHeader(request);
  }

  #takeHeader(request: Waiting): boolean {
    const buffer = this.#joined();
    const end = buffer.indexOf(10);
    if (end < 0) return false;
    const line = buffer.subarray(0, end).toString('latin1');
    this.#consume(buffer, end + 1);
    const match = /^([0-9a-f]+) ([a-z]+) (\d+)$/.exec(line);
    if (!match) {
      this.#waiting.shift();
      request.resolve(undefined);
      return true;
    }
    const header = { oid: match[1] ?? '', type: match[2] ?? '', size: Number(match[3]) };
    if (request.kind === 'contents') this.#header = header;
    else {
      this.#waiting.shift();
      request.resolve(header);
    }
    return true;
  }

  #takeBody(request: Waiting, header: ObjectInfo): boolean {
    if (this.#buffered < header.size + 1) return false;
    const buffer = this.#joined();
    const content = Buffer.from(buffer.subarray(0, header.size));
    this.#consume(buffer, header.size + 1);
    this.#header = undefined;
    this.#waiting.shift();
    request.resolve({ ...header, content });
    return true;
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#buffered)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #consume(buffer: Buffer, bytes: number): void {
    const rest = buffer.subarray(bytes);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#buffered = rest.length;
  }
}

/** Whether the process of Tiphys stays alive for this child: only while an answer is awaited. */
function hold(child: ChildProcessWithoutNullStreams, held: boolean): void {
  const method = held ? 'ref' : 'unref';
  child[method]();
  for (const stream of [child.stdin, child.stdout, child.stderr] as unknown as Record<
    string,
    (() => void) | undefined
  >[])
    stream[method]?.();
}
