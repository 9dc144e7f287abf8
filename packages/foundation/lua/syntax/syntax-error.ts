/** A text that is no Lua. `line` is 1-based; `near` is the token that was found, empty at the end of the text. */
export class LuaSyntaxError extends Error {
  readonly line: number;
  readonly near: string;

  constructor(message: string, line: number, near: string) {
    super(message);
    this.name = 'LuaSyntaxError';
    this.line = line;
    this.near = near;
  }
}
