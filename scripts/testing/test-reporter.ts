import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { root } from '../architecture.ts';

/** What one file's tests came to. */
export interface FileResult {
  passed: number;
  failed: number;
  skipped: number;
  /** Names of the tests that failed. */
  readonly failures: string[];
  /** Seconds from the first event of the file to its last. */
  seconds: number;
}

/** Results of a run, by file, and why tests were skipped. */
export interface RunResult {
  readonly files: Map<string, FileResult>;
  readonly skips: Map<string, number>;
}

interface EventData {
  name?: string;
  file?: string;
  /** The file that was run: tests may be declared by others that it imports. */
  entryFile?: string;
  line?: number;
  /** 0 for what a file itself declares. */
  nesting?: number;
  message?: string;
  skip?: string | boolean;
  todo?: string | boolean;
  counts?: { tests: number; passed: number; skipped: number; todo: number };
  duration_ms?: number;
  details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string; cause?: unknown } };
}

interface Taken {
  readonly type: 'test:pass' | 'test:fail';
  readonly data: EventData;
}

interface FollowOptions {
  /** Files of the run. */
  readonly total: number;
  readonly print: (text: string) => void;
  /** The source of a file that was run, if it is made of one. */
  readonly sourceOf?: (file: string) => string;
}

/** Follows the events of the files of a run: prints failures in full and what tests measured as they come, and one line a file, and says what it came to. */
export class RunFollower {
  readonly result: RunResult = { files: new Map(), skips: new Map() };
  readonly #options: FollowOptions;
  #ended = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /**
   * `members`: the sources, absolute, of a file that runs several of them, each in a suite that is named after its path from the root. Those that
   * its process did not come to have failed.
   */
  async follow(events: AsyncIterable<TestEvent>, members: readonly string[] = []): Promise<void> {
    const left = new Map(members.map((member) => [relative(root, member), member]));
    let held: Taken[] = [];
    for await (const { type, data } of events as AsyncIterable<{ type: string; data: EventData }>) {
      if (type === 'test:stderr' || type === 'test:stdout') this.#options.print(data.message ?? '');
      // at 0 the runner counts tests
      if (type === 'test:diagnostic' && data.nesting) this.#options.print(`  ${data.message}\n`);
      const run = data.entryFile ?? data.file;
      const source = run && (this.#options.sourceOf?.(run) ?? run);
      if (members.length === 0 && type === 'test:summary' && source) this.#end(source, (data.duration_ms ?? 0) / 1000);
      if (type !== 'test:pass' && type !== 'test:fail') continue;
      if (members.length === 0) {
        this.#take(type, data, source ?? '');
        continue;
      }
      held.push({ type, data });
      const member = data.nesting === 0 ? left.get(data.name ?? '') : undefined;
      if (member === undefined) continue;
      left.delete(relative(root, member));
      for (const taken of held) this.#take(taken.type, taken.data, member);
      held = [];
      this.#end(member, (data.details?.duration_ms ?? 0) / 1000);
    }
    for (const member of left.values()) {
      for (const taken of held) this.#take(taken.type, taken.data, member);
      held = [];
      this.#fileOf(member).failed ||= 1;
      this.#end(member, 0);
    }
  }

  #fileOf(source: string): FileResult {
    const known = this.result.files.get(source) ?? { passed: 0, failed: 0, skipped: 0, failures: [], seconds: 0 };
    this.result.files.set(source, known);
    return known;
  }

  #end(source: string, seconds: number): void {
    this.#ended += 1;
    const file = this.#fileOf(source);
    file.seconds = seconds;
    const failed = file.failed > 0 ? `, ${file.failed} FAILED` : '';
    const { total, print } = this.#options;
    const name = relative(root, source);
    print(`  [${this.#ended}/${total}] ${name}: ${file.passed} passed${failed} (${seconds.toFixed(1)} s)\n`);
  }

  #take(type: 'test:pass' | 'test:fail', data: EventData, source: string): void {
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    if (data.details?.type === 'suite' && type === 'test:pass' && !isSkipped) return;
    const file = this.#fileOf(source);
    if (isSkipped) {
      file.skipped += 1;
      const reason = String(data.skip ?? data.todo);
      this.result.skips.set(reason, (this.result.skips.get(reason) ?? 0) + 1);
    } else if (type === 'test:pass') file.passed += 1;
    else if (data.details?.error?.failureType !== 'subtestsFailed') {
      file.failed += 1;
      file.failures.push(data.name ?? '');
      const place =
        data.file && data.file !== data.entryFile ? (this.#options.sourceOf?.(data.file) ?? data.file) : source;
      this.#options.print(`\n✗ ${data.name} (${place}:${data.line})\n${failureText(data.details?.error)}\n`);
    }
  }
}

function failureText(error: (Error & { cause?: unknown }) | undefined): string {
  const cause = error?.cause;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return error?.stack ?? String(cause ?? error);
}
