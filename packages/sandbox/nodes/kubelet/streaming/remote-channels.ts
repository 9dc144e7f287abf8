import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../container-runtime.ts';

/** The streams of an exec or attach, whatever protocol carries them. */
export interface RemoteChannels {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Calls back with how large the client's terminal is, and is each time that it changes. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Tells how the command ended and closes everything once that is sent. */
  finish(outcome: object): Promise<void>;
  /** The client has gone. */
  readonly closed: Promise<void>;
}

/** Which streams a client asks for. */
export interface Wanted {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** Sizes as clients write them, `{"Width":80,"Height":24}`, for one listener; those from before it came are kept for it. */
export class TerminalSizes {
  #listener: ((size: TerminalSize) => void) | undefined;
  #last: TerminalSize | undefined;

  /** Takes one JSON text; what cannot be read changes nothing. */
  take(text: string): void {
    const [, width] = /"Width"\s*:\s*(\d+)/.exec(text) ?? [];
    const [, height] = /"Height"\s*:\s*(\d+)/.exec(text) ?? [];
    if (!Number(width) || !Number(height)) return;
    this.#last = { columns: Number(width), rows: Number(height) };
    this.#listener?.(this.#last);
  }

  listen(listener: (size: TerminalSize) => void): void {
    this.#listener = listener;
    if (this.#last) listener(this.#last);
  }
}

/** The Status of the error channel, as the kubelet writes it from version 4 of the protocol on. */
export function outcomeOf(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}
