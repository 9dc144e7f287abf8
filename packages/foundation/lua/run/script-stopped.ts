/** A script was stopped at a limit. It is no error of Lua: no `pcall` catches it. */
export class ScriptStopped extends Error {
  readonly limit: 'steps' | 'memory';
  readonly line: number;

  constructor(limit: ScriptStopped['limit'], message: string, line: number) {
    super(message);
    this.name = 'ScriptStopped';
    this.limit = limit;
    this.line = line;
  }
}
