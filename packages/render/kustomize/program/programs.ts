import type { ProgramFolders } from './program-folder.ts';
import type { Program, ProgramLimits, ProgramResult } from './run-program.ts';

/** What programs that a build runs may do, and what they are given. */
export interface ProgramOptions {
  /** Functions that are programs of this machine may run. */
  readonly exec: boolean;
  /** Functions in containers that ask for the network get it. */
  readonly network: boolean;
  /** More mounts of containers, as `type=bind,src=…,dst=…`. */
  readonly mounts: readonly string[];
  /** More variables of functions, as `name=value`. */
  readonly env: readonly string[];
  /** Containers run as the user of this process. */
  readonly asCurrentUser: boolean;
  /** Variables that all programs see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits?: Partial<ProgramLimits>;
  readonly signal?: AbortSignal;
  /** Runs a program; in this process if not given. */
  readonly run?: (program: Program) => Promise<ProgramResult>;
}

/** The same with the folders that programs may see. */
export interface Programs extends ProgramOptions {
  readonly folders: ProgramFolders;
}
