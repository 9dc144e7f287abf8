import { isUtf8 } from 'node:buffer';
import { GoError, wrapping } from '../failure/go-error.ts';
import type { GeneratorArgs } from '../kustomization/kustomization.ts';
import type { Loader } from '../load/loader.ts';
import type { Stamp } from '../resource/resource.ts';

/** A key with its bytes, and where they are written. */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly stamp: Stamp;
}

/** Longer lines end the reading of an env file, as the buffer of Go's scanner is full. */
const maxLine = 64 * 1024;

/** Reads the sources of a ConfigMap or Secret: env files, then literals, then files. Throws in Kustomize's words. */
export async function readKeyValues(args: GeneratorArgs, loader: Loader, stamp: Stamp): Promise<KeyValue[]> {
  const { envs = [], literals = [], files = [], name = '' } = args;
  const found: KeyValue[] = await wrapping('loading KV pairs', async () => [
    ...(await wrapping(`env source files: [${envs.join(' ')}]`, () => fromEnvFiles(envs, loader, stamp))),
    ...(await wrapping(`literal sources [${literals.join(' ')}]`, () => fromLiterals(literals, stamp))),
    ...(await wrapping(`file sources: [${files.join(' ')}]`, () => fromFiles(files, loader, stamp))),
  ]);
  const keys = new Set<string>();
  for (const { key } of found) {
    if (keys.has(key))
      throw new GoError(`configmap ${name} illegally repeats the key \`${key}\``, {
        evidence: { key },
        remedies: ['Name the key once: literals, files and envs share one set of keys'],
      });
    keys.add(key);
  }
  return found;
}

async function fromEnvFiles(paths: readonly string[], loader: Loader, stamp: Stamp): Promise<KeyValue[]> {
  const found: KeyValue[] = [];
  for (const path of paths) {
    const data = Buffer.from(await loader.load(path));
    const origin = { ...stamp.origin, file: loader.display(path), kustomization: stamp.origin.file };
    let line = 0;
    for (const bytes of linesOf(data)) {
      line++;
      const pair = fromLine(bytes, line === 1);
      if (pair) found.push({ ...pair, stamp: { origin, line } });
    }
  }
  return found;
}

function* linesOf(data: Buffer): Generator<Buffer> {
  for (let from = 0; from < data.length; ) {
    const end = data.indexOf(0x0a, from);
    const line = data.subarray(from, end < 0 ? data.length : end);
    if (line.length >= maxLine) return;
    yield line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
    from = end < 0 ? data.length : end + 1;
  }
}

function fromLine(bytes: Buffer, first: boolean): { key: string; value: Buffer } | undefined {
  if (!isUtf8(bytes))
    throw new GoError(`line [${[...bytes].join(' ')}] has invalid utf8 bytes : ${bytes.toString('utf8')}`);
  let text = bytes.toString('utf8');
  if (first) text = text.replace(/^\ufeff/, '');
  text = text.replace(/^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/, '');
  if (text === '' || text.startsWith('#')) return undefined;
  const at = text.indexOf('=');
  const key = at < 0 ? text : text.slice(0, at);
  return key === '' ? undefined : { key, value: Buffer.from(at < 0 ? '' : text.slice(at + 1)) };
}

function fromLiterals(sources: readonly string[], stamp: Stamp): KeyValue[] {
  return sources.map((source) => {
    const at = source.indexOf('=');
    if (at <= 0)
      throw new GoError(`invalid literal source ${source}, expected key=value`, {
        evidence: { literal: source },
        remedies: ['Write it as key=value'],
      });
    return { key: source.slice(0, at), value: Buffer.from(withoutQuotes(source.slice(at + 1))), stamp };
  });
}

function withoutQuotes(text: string): string {
  const [first] = text;
  return text.length >= 2 && first === text.at(-1) && (first === '"' || first === "'") ? text.slice(1, -1) : text;
}

async function fromFiles(sources: readonly string[], loader: Loader, stamp: Stamp): Promise<KeyValue[]> {
  const found: KeyValue[] = [];
  for (const source of sources) {
    const { key, path } = splitSource(source);
    const value = Buffer.from(await loader.load(path));
    const origin = { ...stamp.origin, file: loader.display(path), kustomization: stamp.origin.file };
    found.push({ key, value, stamp: { origin, line: 1 } });
  }
  return found;
}

function splitSource(source: string): { key: string; path: string } {
  const parts = source.split('=');
  const quoted = JSON.stringify;
  if (parts.length === 1) return { key: baseName(source), path: source };
  if (parts.length > 2) throw new GoError(`source ${quoted(source)} key name or file path contains '='`);
  const [key = '', path = ''] = parts;
  if (key === '') throw new GoError(`missing key name for file path ${quoted(path)} in source ${quoted(source)}`);
  if (path === '') throw new GoError(`missing file path for key name ${quoted(key)} in source ${quoted(source)}`);
  return { key, path };
}

/** Go's path.Base. */
function baseName(path: string): string {
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return path === '' ? '.' : trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
