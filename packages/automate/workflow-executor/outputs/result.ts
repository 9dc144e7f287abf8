import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { containerFolder } from '../pod/folders.ts';
import type { PodContext } from '../pod/pod-context.ts';
import { say } from '../pod/say.ts';
import { hasResult } from '../pod/template.ts';

/** What is kept of an output, in bytes. */
const largest = 256 * 1024;

/** What the main container printed, without its last line break; of more than 256 KiB the end. Undefined where nobody asks for it. */
export async function captureResult({ template, includesOutput, folders }: PodContext): Promise<string | undefined> {
  if (!includesOutput || !hasResult(template)) return undefined;
  const file = await open(join(containerFolder(folders, 'main'), 'stdout'));
  try {
    const { size } = await file.stat();
    // one byte more than is kept: the line break that goes
    const length = Math.min(size, largest + 1);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const end = buffer.at(-1) === 10 ? length - 1 : length;
    if (size > largest + 1) say('of an output of more than 256 KiB only the end is kept', 'warning');
    return buffer.subarray(Math.max(0, end - largest), end).toString('utf8');
  } finally {
    await file.close();
  }
}
