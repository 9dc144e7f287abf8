/** Where a command prints, and what it reads besides its words. */
export interface CommandSurroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Folder against which paths count. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}
