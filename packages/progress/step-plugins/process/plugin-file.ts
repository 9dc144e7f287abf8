import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { guardedDispatcher } from '@tiphys/outbound';
import { invalidPlugin } from '../model/diagnoses.ts';
import type { ConfiguredPlugin } from './plugin-config.ts';

/** Downloads larger than this are no plugins. */
const maxBytes = 512 * 1024 * 1024;
const downloadTimeout = 300_000;

export interface FileOptions {
  /** Folder of the process under which plugins are kept. */
  readonly folder: string;
  /** Headers of a download. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Brings a plugin's program into the folder and answers its path: a copy of a file (relative to the working directory), or a download.
 * A file whose checksum is not the configured one is refused, and never run.
 */
export async function bringPlugin(plugin: ConfiguredPlugin, options: FileOptions): Promise<string> {
  const file = join(resolve(options.folder), plugin.name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.new`;
  if (plugin.location.startsWith('file://')) await copyPlugin(plugin, fresh);
  else await writeFile(fresh, await download(plugin, options));
  await checkSum(plugin, fresh);
  await chmod(fresh, 0o700);
  // a program that runs cannot be written to, but it can be replaced
  await rename(fresh, file);
  return file;
}

async function copyPlugin({ name, location }: ConfiguredPlugin, to: string): Promise<void> {
  const from = resolve(location.slice('file://'.length));
  try {
    await copyFile(from, to);
  } catch (error) {
    throw invalidPlugin(`failed to copy plugin ${name} from ${from}: ${(error as Error).message}`, [
      'Put the program there, or correct location in argo-rollouts-config',
    ]);
  }
}

async function download({ name, location }: ConfiguredPlugin, { headers, signal }: FileOptions): Promise<Uint8Array> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadTimeout)]);
  try {
    const { fetch } = await import('undici');
    const dispatcher = await guardedDispatcher();
    const answer = await fetch(location, { headers, signal: limit, dispatcher });
    if (!answer.ok) throw new Error(`response code ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    throw invalidPlugin(`failed to download plugin ${name} from ${location}: ${(error as Error).message}`);
  }
}

async function checkSum({ name, location, sha256 }: ConfiguredPlugin, file: string): Promise<void> {
  if (sha256 === '') return;
  const actual = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (actual !== sha256.toLowerCase())
    throw invalidPlugin(
      `sha256 hash of downloaded plugin (${location}) does not match expected hash: ${name} has ${actual}`,
      [`Compare ${actual} with what the plugin's authors publish before you change sha256 in argo-rollouts-config`],
    );
}
