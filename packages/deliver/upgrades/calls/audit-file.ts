import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Release } from '../knowledge/api-life.ts';
import { type AuditCall, auditCalls, auditLine } from './audit-events.ts';

const auditLogUnreadable = defineDiagnosis(
  'UpgradeAuditLogUnreadable',
  'A file that is to be an audit log cannot be read',
);

/** Bytes of a document that is one JSON over many lines. */
const largestDocument = 256 * 1024 * 1024;
/** Characters that tell whether the first line is a whole JSON. */
const glance = 64 * 1024;

/**
 * Calls of an audit log in a file, line by line so that it may have any size, packed by gzip (`.gz`) or not; or of one JSON document, as the tools of the clouds
 * print lists of events. `unread` counts lines that are no JSON. Throws UpgradeAuditLogUnreadable for a file that is not there, that may not be read, or whose packing is broken.
 */
export async function auditFile(
  path: string,
  target: Release,
  signal?: AbortSignal,
): Promise<{ calls: AuditCall[]; unread: number }> {
  try {
    return await readCalls(path, target, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw failure(
      auditLogUnreadable,
      {
        message: `The audit log cannot be read: ${error instanceof Error ? error.message : String(error)}`,
        place: { file: path },
        remedies: [
          'Name a file that is there and may be read',
          'A name that ends with .gz is for a file that gzip has packed',
        ],
      },
      { cause: error },
    );
  }
}

async function readCalls(
  path: string,
  target: Release,
  signal?: AbortSignal,
): Promise<{ calls: AuditCall[]; unread: number }> {
  const whole = path.endsWith('.gz') ? undefined : await documentIn(path, signal);
  if (whole !== undefined) return { calls: auditCalls(whole, target), unread: 0 };
  const calls: AuditCall[] = [];
  let unread = 0;
  const bytes = createReadStream(path, signal ? { signal } : {});
  const input = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // what the file itself meets would be lost in the pipe
  if (input !== bytes) bytes.on('error', (error) => input.destroy(error));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const found = auditLine(line, target);
    if (found) calls.push(...found);
    else unread += 1;
  }
  return { calls, unread };
}

/** The document of a file whose first line is not one by itself; undefined for lines. */
async function documentIn(path: string, signal?: AbortSignal): Promise<unknown> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(glance), 0, glance, 0);
    const [first = ''] = buffer.toString('utf8', 0, bytesRead).trimStart().split('\n');
    if (size > largestDocument || !/^[[{]/.test(first) || isJson(first) || first.length >= glance / 2) return undefined;
  } finally {
    await file.close();
  }
  try {
    return JSON.parse(await readFile(path, { encoding: 'utf8', ...(signal ? { signal } : {}) }));
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
