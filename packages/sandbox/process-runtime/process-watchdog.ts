import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ GROUP` and `- GROUP` lines. When its input ends, which the death of this process brings about however it
 * comes, it kills the groups that are left and removes the folder.
 */
const script = `
groups=" "
while read -r op id; do
  case $op in
    +) groups="$groups$id " ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
[ -z "$1" ] || rm -rf "$1"
`;

/** A process that outlives this one by a moment, to end what this one has started. */
export class ProcessWatchdog {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  /** `folder` is removed at the end; nothing if undefined. */
  constructor(folder: string | undefined) {
    // a session of its own, so that Ctrl-C in the terminal does not end it before the others
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', folder ?? ''], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
    (this.#child.stdin as unknown as { unref(): void }).unref();
  }

  /** Resolves when the group will not outlive this process. */
  guard(group: number): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#child.stdin?.write(`+ ${group}\n`, (error) => (error ? reject(error) : resolve())),
    );
  }

  release(group: number): void {
    this.#child.stdin?.write(`- ${group}\n`);
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
