import type { ApplicationSourceJsonnet, JsonnetVar } from '@tiphys/api';
import { DiagnosisError, diagnose, failure, type Remedy } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import type { Place, PlainValue } from '@tiphys/jsonnet';
import { decodeText } from '../request/decode-text.ts';
import { jsonnetFailed, renderTooCostly } from '../request/diagnoses.ts';
import { libraryFolders, type Resolved, resolveImport, wantedKey } from '../request/jsonnet-imports.ts';
import type { TurnRequest } from '../request/turn-request.ts';
import { excerpt } from '../request/yaml-documents.ts';
import type { RenderTurns } from '../turns/render-turns.ts';
import type { JsonnetAnswer, JsonnetTask } from './jsonnet-thread.ts';
import { type ThreadLimits, ThreadPool, ThreadStopped, timeOutside } from './thread-pool.ts';

export interface JsonnetRequest extends TurnRequest {
  readonly tree: GitTree;
  /** The program's file, where it is listed. */
  readonly main: string;
  /** The application's folder: imports are looked for there last. */
  readonly folder: string;
  /** With the variables of the build environment replaced. */
  readonly options: ApplicationSourceJsonnet;
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** Told each import that the run reached, with where it was looked for, also if the run fails. */
  readonly onRead: (resolved: Resolved) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Programs are as deep as they like, up to the limit of the interpreter. */
const stack = 64;
const maxFiles = 5_000;

/** Runs Jsonnet in threads of their own: a program that takes too long or too much is ended, and the process goes on. */
export class JsonnetRenderer {
  readonly #limits: ThreadLimits;
  readonly #pool: ThreadPool;

  constructor(limits: ThreadLimits, turns: RenderTurns) {
    this.#limits = limits;
    const module = new URL('./jsonnet-thread.ts', import.meta.url);
    this.#pool = new ThreadPool({ module, turns, idle: limits.idle, memory: limits.memory, stack });
  }

  /** What a program gives. Throws a diagnosis with the program's own error and its place. */
  async render(request: JsonnetRequest): Promise<PlainValue> {
    const { tree, main, options, signal, onRead, caller, onWait } = request;
    const files = new Map<string, Uint8Array>();
    const resolved = new Map<string, Resolved>();
    const { time } = this.#limits;
    const answer = await this.#pool
      .run(
        async (thread): Promise<JsonnetAnswer> => {
          files.set(main, await tree.read(main, { maxBytes: request.maxBytes }));
          for (;;) {
            const task: JsonnetTask = {
              main,
              files,
              imports: new Map([...resolved].map(([key, { path }]) => [key, path])),
              externals: variables(options.extVars),
              arguments: variables(options.tlas),
              time,
            };
            const found = (await thread.ask(task)) as JsonnetAnswer;
            if (found.kind !== 'wants') return found;
            await this.#bring(found.wanted, request, files, resolved);
          }
        },
        { caller, onWait, time: timeOutside(this.#limits), ...(signal ? { signal } : {}) },
      )
      .catch((error: unknown) => {
        throw error instanceof ThreadStopped ? this.#stopped(error, main) : error;
      });
    if (answer.kind === 'wants') throw new Error('a thread wants more than it said');
    for (const key of answer.used) {
      const read = resolved.get(key);
      if (read) onRead(read);
    }
    if (answer.kind === 'value') return answer.value;
    throw failed(answer, main, files, searched(answer.message, resolved));
  }

  async #bring(
    wanted: readonly Parameters<typeof resolveImport>[1][],
    { tree, folder, options, maxBytes }: JsonnetRequest,
    files: Map<string, Uint8Array>,
    resolved: Map<string, Resolved>,
  ): Promise<void> {
    const folders = [folder, ...libraryFolders(options)];
    for (const one of wanted) {
      const found = await resolveImport(tree, one, folders);
      resolved.set(wantedKey(one), found);
      if (found.path !== undefined && !files.has(found.path))
        files.set(found.path, await tree.read(found.path, { maxBytes }));
      if (files.size > maxFiles)
        throw failure(renderTooCostly, {
          message: `The program imports more than ${maxFiles} files`,
          place: { file: one.from },
          remedies: ['Import less'],
        });
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #stopped(error: ThreadStopped, file: string): DiagnosisError {
    const { memory } = this.#limits;
    const why =
      error.limit === 'memory'
        ? `needs more than ${memory} MB`
        : `does not end within ${timeOutside(this.#limits) / 1000} s`;
    return failure(
      renderTooCostly,
      {
        message: `The program ${file} ${why}, and was stopped`,
        place: { file },
        remedies: ['Look for recursion without end, or for large lists and texts'],
      },
      error.limit === 'memory' ? {} : { handling: 'retryable' },
    );
  }
}

function variables(list: readonly JsonnetVar[] = []) {
  return list.map(({ name, value = '', code = false }) => ({ name, value, code }));
}

function failed(
  { message, error, place, calls }: JsonnetAnswer & { kind: 'failed' },
  main: string,
  files: ReadonlyMap<string, Uint8Array>,
  looked: readonly string[],
): DiagnosisError {
  const name = main.slice(main.lastIndexOf('/') + 1);
  const bytes = place && files.get(place.file);
  const told = error === 'static' ? message : `RUNTIME ERROR: ${message}`;
  const variable = place && !bytes ? variableField(place.file) : undefined;
  const isTime = error === 'limit' && message.startsWith('The program takes longer');
  return new DiagnosisError(
    diagnose(error === 'limit' ? renderTooCostly : jsonnetFailed, {
      message: `Failed to evaluate jsonnet ${JSON.stringify(name)}: ${told}`,
      place:
        place && bytes ? { file: place.file, line: place.line, column: place.column } : { file: main, ...variable },
      evidence: {
        ...(place && bytes ? { text: excerpt(decodeText(bytes, place.file), place.line) } : {}),
        ...(place && !bytes ? { 'in the variable': place.file, line: String(place.line) } : {}),
        ...(looked.length > 0 ? { 'looked for': looked.join(', ') } : {}),
        ...(calls.length > 0 ? { 'called from': calls.slice(0, 10).map(shown).join(', ') } : {}),
      },
      remedies: [
        variable
          ? `Correct ${variable.field}: with code it is an expression of Jsonnet`
          : remedyOf(error, message, looked),
      ],
    }),
    isTime ? { handling: 'retryable' } : {},
  );
}

/** Where a source gives a variable, by the name that the evaluation gives its text. */
function variableField(name: string): { field: string } | undefined {
  const [, kind, variable] = /^<(extvar|top-level-arg):(.*)>$/s.exec(name) ?? [];
  if (!kind) return undefined;
  return { field: `spec.source.directory.jsonnet.${kind === 'extvar' ? 'extVars' : 'tlas'}[name=${variable}]` };
}

function remedyOf(error: string, message: string, looked: readonly string[]): Remedy | string {
  if (error === 'limit') return 'Look for recursion without end, or for large lists and texts';
  const variable = /^Undefined external variable: (.{1,200})$/.exec(message)?.[1];
  if (variable === undefined)
    return looked[0] ? `Add ${looked[0]}, or correct the import` : 'Correct the program at this place';
  return {
    text: `Give the variable ${variable} in the source, or correct its name`,
    paste: `spec:\n  source:\n    directory:\n      jsonnet:\n        extVars:\n        - {name: ${JSON.stringify(variable)}, value: ""}`,
  };
}

/** Where an import was looked for that leads nowhere. */
function searched(message: string, resolved: ReadonlyMap<string, Resolved>): string[] {
  const name = /^couldn't open import ("(?:[^"\\]|\\.)*")/.exec(message)?.[1];
  const missing = [...resolved.values()].find((one) => one.path === undefined && JSON.stringify(one.name) === name);
  return missing?.looked.map(({ path }) => path) ?? [];
}

function shown({ file, line }: Place): string {
  return `${file}:${line}`;
}
