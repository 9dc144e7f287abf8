/** What is answered in the place of a terminal: the HTTP status, and a sentence as text. */
export class TerminalRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'TerminalRefusal';
    this.status = status;
  }
}
