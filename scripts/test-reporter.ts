import type { TestEvent } from 'node:test/reporters';

/** Tallies and prints: failures in full as they come, one line a file, the tally last as `N passed, N failed, N skipped`. */
export async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const reasons = new Map<string, number>();
  for await (const { type, data } of events as AsyncIterable<{ type: string; data: EventData }>) {
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message ?? '';
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    if (data.skip !== undefined || data.todo !== undefined) {
      skipped += 1;
      const reason = String(data.skip ?? data.todo);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    } else if (type === 'test:pass') passed += 1;
    else if (data.details?.error?.failureType !== 'subtestsFailed') {
      failed += 1;
      yield `\n✗ ${data.name} (${data.file}:${data.line})\n${failureText(data.details?.error)}\n`;
    }
  }
  for (const [reason, count] of reasons) yield `  ${count} skipped: ${reason}\n`;
  yield `${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}

interface EventData {
  name?: string;
  file?: string;
  line?: number;
  message?: string;
  skip?: string | boolean;
  todo?: string | boolean;
  details?: { type?: string; error?: Error & { failureType?: string; cause?: unknown } };
}

function failureText(error: (Error & { cause?: unknown }) | undefined): string {
  const cause = error?.cause;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return error?.stack ?? String(cause ?? error);
}
