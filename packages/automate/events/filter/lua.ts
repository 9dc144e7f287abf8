import { Script, ScriptError, type ScriptResult } from '@tiphys/lua';

const known = new Map<string, Script>();

/** A script of a filter or a transform gave no result. */
export class EventScriptError extends Error {}

/** Runs a script with the payload as the global `event`. Throws `EventScriptError`. */
export function runScript(source: string, payload: unknown, now: () => number): ScriptResult {
  return guarded(() => {
    let script = known.get(source);
    if (!script) {
      script = new Script(source);
      if (known.size > 200) known.clear();
      known.set(source, script);
    }
    return script.run({ event: asTable(payload) }, { now, openLibraries: true });
  });
}

/** Gives the data of a result. Throws `EventScriptError`. */
export function dataOf(result: ScriptResult): unknown {
  return guarded(() => result.tableJson());
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ScriptError) throw new EventScriptError(error.message);
    throw error;
  }
}

/** As upstream fills its tables: lists inside of lists, and nulls, are left out. */
function asTable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((item) => item !== null && !Array.isArray(item)).map((item) => asTable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asTable(item)]));
}
