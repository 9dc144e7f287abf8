import { ConversionError, fromLua, type Json, toLua } from './convert.ts';
import { fromTable } from './from-table.ts';
import { openLibraries } from './library/open.ts';
import { defaultLimits, type Limits } from './run/bounds.ts';
import { compileFunction } from './run/compile.ts';
import { interpret } from './run/interpret.ts';
import { LuaError } from './run/lua-error.ts';
import { Machine } from './run/machine.ts';
import { ScriptStopped } from './run/script-stopped.ts';
import { forgetIdentities, typeName } from './run/show.ts';
import { LuaFunction, type LuaValue, type Prototype } from './run/value.ts';
import { parseChunk } from './syntax/parser.ts';
import { LuaSyntaxError } from './syntax/syntax-error.ts';
import { fromBytes, toBytes } from './text/bytes.ts';

export interface ScriptOptions {
  /** Opens string, math, coroutine and os too. Default: base and table alone, and os by `require`. */
  readonly openLibraries?: boolean;
  /** Milliseconds since 1970, for `os.time` and `os.date`. */
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

/** Why a script gave no result. */
export interface ScriptFailure {
  /** `syntax`: it is no Lua; `error`: it raised one; `stopped`: it reached a limit; `result`: it returned the wrong thing. */
  readonly kind: 'syntax' | 'error' | 'stopped' | 'result';
  /** As upstream words it, where it has words for it. */
  readonly message: string;
  /** Line of the script, from 1; undefined if it was in none. */
  readonly line?: number;
}

export class ScriptError extends Error {
  readonly failure: ScriptFailure;

  constructor(failure: ScriptFailure) {
    super(failure.message);
    this.name = 'ScriptError';
    this.failure = failure;
  }
}

export interface ScriptResult {
  /** Name of the type in Lua. */
  readonly type: string;
  /** The value as data. Throws `ScriptError` if it has no form in JSON. */
  readonly json: () => Json;
  /**
   * The value as data the way Argo Events takes it: a table with a list part is that list, any other an object with its keys as
   * text, and `__is_array` in a metatable makes a list of one without. Throws `ScriptError` if it has no form in JSON.
   */
  readonly tableJson: () => Json;
}

/**
 * A script that is compiled once and run for many objects, each time in a world of its own: nothing stays from one run
 * to the next, and no run can take more than its limits.
 */
export class Script {
  readonly #prototype: Prototype;

  /** Throws `ScriptError` if the text is no Lua. */
  constructor(source: string) {
    try {
      this.#prototype = compileFunction(parseChunk(toBytes(source)));
    } catch (error) {
      if (!(error instanceof LuaSyntaxError)) throw error;
      const { message, line } = error;
      throw new ScriptError({ kind: 'syntax', message: `<string> line:${line}: ${fromBytes(message)}`, line });
    }
  }

  /** Runs it with the given globals, which are data, and gives its last result, as upstream. Throws `ScriptError`. */
  run(globals: Readonly<Record<string, unknown>>, options: ScriptOptions): ScriptResult {
    forgetIdentities();
    const machine = new Machine({ ...defaultLimits, ...options.limits }, interpret);
    return guarded(() => {
      openLibraries(machine, options.now, options.openLibraries ?? false);
      for (const [name, value] of Object.entries(globals)) machine.globals.set(name, toLua(value));
      const value: LuaValue = machine.call(new LuaFunction(this.#prototype, [], machine.globals), []).at(-1);
      return {
        type: typeName(value),
        json: () => guarded(() => fromLua(value, machine)),
        tableJson: () => guarded(() => fromTable(value, machine)),
      };
    });
  }
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new ScriptError(failureOf(error));
  }
}

function failureOf(error: unknown): ScriptFailure {
  const at = (line: number) => (line > 0 ? { line } : {});
  if (error instanceof LuaError)
    return { kind: 'error', message: fromBytes(error.message).slice(0, 2000), ...at(error.line) };
  if (error instanceof ScriptStopped) {
    return { kind: 'stopped', message: `<string>:${error.line}: stopped: ${error.message}`, ...at(error.line) };
  }
  if (error instanceof ConversionError) return { kind: 'result', message: error.message };
  throw error;
}
