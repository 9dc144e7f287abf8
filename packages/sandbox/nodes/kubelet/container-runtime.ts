import type { Readable, Writable } from 'node:stream';
import type { Container, Pod } from '@tiphys/kube-controllers';
import type { LogLine } from './log-lines.ts';

/** How a process ended. */
export interface ProcessExit {
  readonly code: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `Error` or `Completed`, by the code, if absent. */
  readonly reason?: string;
  readonly message?: string;
}

/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A command that runs beside a container's own process. */
export interface ExecSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code. */
  readonly exit: Promise<number>;
  /** Tells its terminal how large it is shown; nothing without one. */
  resize(size: TerminalSize): void;
  kill(): void;
}

/** The running (or ended) process of a container. */
export interface ContainerProcess {
  /** Undefined as long as it runs. */
  readonly exit: ProcessExit | undefined;
  /** Resolves when the command runs, or when it is clear that it never will. */
  readonly started: Promise<void>;
  /** What it has printed so far, oldest first; the oldest lines of a long log are gone. */
  readonly lines: readonly LogLine[];
  /** Calls back with every piece of output from now on; the result stops that. */
  onOutput(listener: (stream: 'stdout' | 'stderr', chunk: Buffer) => void): () => void;
  /** Open if the container has `stdin: true`. */
  readonly stdin: Writable | undefined;
  /** Its input ends with that of the first who attached: `stdinOnce: true`. */
  readonly stdinOnce: boolean;
  /** Tells its terminal (`tty: true`) how large it is shown; nothing without one. */
  resize(size: TerminalSize): void;
  /** Asks the process to end. */
  terminate(): void;
  /** Ends the process and all that it has started. */
  kill(): void;
  /** Runs a command with the environment, the files and the working directory of the container. */
  exec(command: readonly string[], options: { tty: boolean }): ExecSession;
}

/** Runs containers for real. Without one, the kubelet simulates them. */
export interface ContainerRuntime {
  /** Whether it runs this container; others are simulated. */
  runs(pod: Pod, container: Container): boolean;
  /** Starts the container's process; `changed` is called when it has ended. */
  start(pod: Pod, container: Container, changed: () => void): ContainerProcess;
  /** The pod is gone: ends what is left of it and removes its files. */
  forget(uid: string): void;
}
