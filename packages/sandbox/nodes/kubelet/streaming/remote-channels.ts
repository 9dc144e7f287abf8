import type { Readable, Writable } from 'node:stream';

/** The streams of an exec or attach, whatever protocol carries them. */
export interface RemoteChannels {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
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
