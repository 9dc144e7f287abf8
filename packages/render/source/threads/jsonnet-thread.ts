import { parentPort } from 'node:worker_threads';
import {
  evaluate,
  type Imported,
  JsonnetError,
  type Place,
  type PlainValue,
  type Program,
  readProgram,
  type Variable,
} from '@tiphys/jsonnet';
import { type Wanted, wantedKey } from '../request/jsonnet-imports.ts';

/** A program to run, for another thread. */
export interface JsonnetTask {
  readonly main: string;
  /** Files by their path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Where imports lead, by `wantedKey`; undefined for one that leads nowhere. */
  readonly imports: ReadonlyMap<string, string | undefined>;
  readonly externals: readonly Variable[];
  readonly arguments: readonly Variable[];
  /** Milliseconds. */
  readonly time: number;
}

/** `used` are the imports that the run reached. */
export type JsonnetAnswer =
  | { readonly kind: 'wants'; readonly wanted: readonly Wanted[] }
  | { readonly kind: 'value'; readonly value: PlainValue; readonly used: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly error: JsonnetError['kind'];
      readonly place?: Place;
      readonly calls: readonly Place[];
      readonly used: readonly string[];
    };

interface Kept {
  readonly text: string;
  readonly program: Program;
}

const keptPrograms = 500;
const programs = new Map<string, Kept>();

function programOf(name: string, bytes: Uint8Array): Program {
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const known = programs.get(name);
  programs.delete(name);
  const kept = known?.text === text ? known : { text, program: readProgram({ name, text }) };
  programs.set(name, kept);
  const [oldest] = programs.keys();
  if (programs.size > keptPrograms && oldest !== undefined) programs.delete(oldest);
  return kept.program;
}

/** Imports of all programs that are known, as far as they can be read, that nobody looked up yet. */
function unknownImports(task: JsonnetTask): Wanted[] {
  const found = new Map<string, Wanted>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    const bytes = task.files.get(path);
    if (!bytes || visited.has(path)) return;
    visited.add(path);
    let program: Program;
    try {
      program = programOf(path, bytes);
    } catch (error) {
      // It is told when the run reaches the file, if ever.
      if (error instanceof JsonnetError) return;
      throw error;
    }
    for (const { how, path: name } of program.imports) {
      const wanted = { from: path, how, name };
      const key = wantedKey(wanted);
      const target = task.imports.get(key);
      if (!task.imports.has(key)) found.set(key, wanted);
      else if (how === 'code' && target !== undefined) visit(target);
    }
  };
  visit(task.main);
  return [...found.values()];
}

function answer(task: JsonnetTask): JsonnetAnswer {
  const wanted = unknownImports(task);
  if (wanted.length > 0) return { kind: 'wants', wanted };
  const used = new Set<string>();
  try {
    const { value } = evaluate({
      program: programOf(task.main, task.files.get(task.main) ?? Buffer.alloc(0)),
      externals: task.externals,
      arguments: task.arguments,
      limits: { time: task.time },
      find: (from, { how, path: name }): Imported => {
        const key = wantedKey({ from, how, name });
        used.add(key);
        const target = task.imports.get(key);
        const bytes = target === undefined ? undefined : task.files.get(target);
        if (target === undefined || !bytes)
          return {
            kind: 'missing',
            message: `couldn't open import ${JSON.stringify(name)}: no match locally or in the Jsonnet library paths`,
          };
        if (how === 'text') return { kind: 'text', text: Buffer.from(bytes).toString('utf8') };
        return how === 'bytes' ? { kind: 'bytes', bytes } : { kind: 'code', program: programOf(target, bytes) };
      },
    });
    return { kind: 'value', value, used: [...used] };
  } catch (error) {
    if (!(error instanceof JsonnetError)) throw error;
    const { message, kind, place, calls } = error;
    return { kind: 'failed', message, error: kind, ...(place ? { place } : {}), calls, used: [...used] };
  }
}

parentPort?.on('message', (task: JsonnetTask) => parentPort?.postMessage(answer(task)));
parentPort?.postMessage('ready');
