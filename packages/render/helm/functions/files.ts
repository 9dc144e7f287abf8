import { compileGlob } from '@tiphys/glob';
import {
  bytesType,
  type CallContext,
  define,
  GoMap,
  GoSlice,
  mapOf,
  namedType,
  same,
  sliceOfString,
  stringOf,
  stringType,
  type TraceRule,
  type Value,
} from '@tiphys/template';
import type { ChartFile } from '../chart/chart.ts';
import { PrintTrace } from './print-trace.ts';
import { encodeYaml } from './yaml-encode.ts';

/** Is told which files of a chart a template read: names, and patterns that it looked for. */
export type FileReads = (read: { readonly file: string } | { readonly glob: string }) => void;

/** `.Files` of a chart. */
export class FilesValue extends GoMap {
  readonly reads: FileReads;
  constructor(entries: Map<Value, Value>, reads: FileReads) {
    super(filesType, entries);
    this.reads = reads;
  }
}

/** Bytes of a file as the string that a template sees; invalid UTF-8 becomes lone surrogates, as in template strings. */
export function textOfBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\ufffd') ? decodeLossless(bytes) : text;
}

function decodeLossless(bytes: Uint8Array): string {
  let out = '';
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const width = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    const part = bytes.subarray(at, at + Math.max(1, width));
    const valid = width > 0 && part.length === width && isValid(decoder, part);
    out += valid === false ? String.fromCharCode(0xdc00 + lead) : valid;
    at += valid === false ? 1 : width;
  }
  return out;
}

function isValid(decoder: TextDecoder, part: Uint8Array): string | false {
  try {
    return decoder.decode(part);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function bytesOf(receiver: Value, name: Value): Uint8Array {
  const files = receiver as FilesValue;
  const key = stringOf(name) ?? '';
  files.reads({ file: key });
  const data = files.entries.get(key);
  return data instanceof Uint8Array ? data : new Uint8Array(0);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function eachFile(name: string, receiver: Value, { trace }: CallContext, value: (data: Uint8Array) => Value): string {
  const files = receiver as FilesValue;
  const map = new Map<string, Value>();
  const received = trace?.argument(0);
  for (const [file, data] of files.entries) {
    const path = String(file);
    files.reads({ file: path });
    map.set(baseName(path), value(data as Uint8Array));
    trace?.slots.put(map, baseName(path), trace.slots.get(receiver, received, path));
  }
  const landed = trace && new PrintTrace(trace.slots, name, map, undefined);
  const text = encodeYaml(map, landed).replace(/\n$/, '');
  trace?.result(landed?.result(text.length));
  return text;
}

function glob(receiver: Value, pattern: Value): Value {
  const files = receiver as FilesValue;
  const text = stringOf(pattern) ?? '';
  files.reads({ glob: text });
  const matches = matcherOf(text);
  return new FilesValue(new Map([...files.entries].filter(([name]) => matches(String(name)))), files.reads);
}

/** Braces that are open at the end are closed there; a pattern that does not compile finds every file. */
function matcherOf(pattern: string): (name: string) => boolean {
  const plain = pattern.replace(/\\./gs, '');
  if (plain.replace(/\[[^\]]+\]/g, '').includes('[')) return () => true;
  const open = plain.split('{').length - plain.split('}').length;
  return compileGlob(pattern + '}'.repeat(Math.max(0, open)), '/');
}

function lines(receiver: Value, name: Value): Value {
  const bytes = bytesOf(receiver, name);
  if (bytes.length === 0) return new GoSlice(sliceOfString, []);
  return new GoSlice(sliceOfString, textOfBytes(bytes).replace(/\n$/, '').split('\n'));
}

/** What a file holds is made of the file. */
const file: TraceRule = (call) => call.child(0, call.args[1]);

const filesType = namedType('engine.files', mapOf(stringType, bytesType), {
  Get: define('string', ([receiver, name]) => textOfBytes(bytesOf(receiver, name)), file),
  GetBytes: define('string', ([receiver, name]) => bytesOf(receiver, name), file),
  Glob: define('string', ([receiver, pattern]) => glob(receiver, pattern), same(0)),
  Lines: define('string', ([receiver, name]) => lines(receiver, name), file),
  AsConfig: define('', ([receiver], context) => eachFile('AsConfig', receiver, context, textOfBytes)),
  AsSecrets: define('', ([receiver], context) =>
    eachFile('AsSecrets', receiver, context, (data) => Buffer.from(data).toString('base64')),
  ),
});

/** The value of `.Files`. */
export function filesValue(files: readonly ChartFile[], reads: FileReads): FilesValue {
  return new FilesValue(new Map(files.map(({ name, data }) => [name, data])), reads);
}
