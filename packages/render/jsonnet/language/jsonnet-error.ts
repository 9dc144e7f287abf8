/** A place in a file; lines and columns from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Text of a program with its name. */
export interface SourceText {
  readonly name: string;
  readonly text: string;
}

/** Where a piece of a program begins. */
export interface Spot {
  readonly source: SourceText;
  readonly at: number;
}

/** What is wrong with a program, or what it met when it ran; `calls` lists what led there, innermost first. */
export class JsonnetError extends Error {
  readonly kind: 'static' | 'runtime' | 'limit';
  readonly place: Place | undefined;
  readonly calls: readonly Place[];

  constructor(
    kind: JsonnetError['kind'],
    message: string,
    options: { spot?: Spot | undefined; calls?: readonly Spot[] } = {},
  ) {
    super(message);
    this.kind = kind;
    this.place = options.spot && placeOf(options.spot);
    this.calls = (options.calls ?? []).map(placeOf);
  }
}

export function placeOf({ source: { name, text }, at }: Spot): Place {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { file: name, line, column: at - before.lastIndexOf('\n') };
}
