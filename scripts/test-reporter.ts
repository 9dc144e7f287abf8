import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { root } from './architecture.ts';

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
  message?: string;
  skip?: string | boolean;
  todo?: string | boolean;
  counts?: { tests: number; passed: number; skipped: number; todo: number };
  duration_ms?: number;
  details?: { type?: string; error?: Error & { failureType?: string; cause?: unknown } };
}

export interface FollowOptions {
  /** Files of the run. */
  readonly total: number;
  readonly print: (text: string) => void;
  /** The source of a file that was run, if it is made of one. */
  readonly sourceOf?: (file: string) => string;
}

/** Follows a run: prints failures in full as they come and one line a file, and resolves to what it came to. */
export async function follow(
  events: AsyncIterable<TestEvent>,
  { total, print, sourceOf = (file) => file }: FollowOptions,
): Promise<RunResult> {
  const result: RunResult = { files: new Map(), skips: new Map() };
  const of = (file: string): FileResult => {
    const known = result.files.get(file) ?? { passed: 0, failed: 0, skipped: 0, failures: [], seconds: 0 };
    result.files.set(file, known);
    return known;
  };
  let ended = 0;
  for await (const { type, data } of events as AsyncIterable<{ type: string; data: EventData }>) {
    if (type === 'test:stderr' || type === 'test:stdout') print(data.message ?? '');
    const run = data.entryFile ?? data.file;
    const source = run && sourceOf(run);
    if (type === 'test:summary' && source) {
      ended += 1;
      const seconds = (data.duration_ms ?? 0) / 1000;
      const file = of(source);
      file.seconds = seconds;
      const failed = file.failed > 0 ? `, ${file.failed} FAILED` : '';
      const name = relative(root, source);
      print(`  [${ended}/${total}] ${name}: ${file.passed} passed${failed} (${seconds.toFixed(1)} s)\n`);
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    if (data.details?.type === 'suite' && type === 'test:pass' && !isSkipped) continue;
    const file = of(source ?? '');
    if (isSkipped) {
      file.skipped += 1;
      const reason = String(data.skip ?? data.todo);
      result.skips.set(reason, (result.skips.get(reason) ?? 0) + 1);
    } else if (type === 'test:pass') file.passed += 1;
    else if (data.details?.error?.failureType !== 'subtestsFailed') {
      file.failed += 1;
      file.failures.push(data.name ?? '');
      print(
        `\n✗ ${data.name} (${data.file === run ? source : data.file}:${data.line})\n${failureText(data.details?.error)}\n`,
      );
    }
  }
  return result;
}

function failureText(error: (Error & { cause?: unknown }) | undefined): string {
  const cause = error?.cause;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return error?.stack ?? String(cause ?? error);
}
