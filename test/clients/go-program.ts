import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../e2e/support/find-program.ts';
import { runProgram } from './program.ts';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin');

/** A Go program of this folder, built once for each state of its sources into a cache outside of the checkout. */
export class GoProgram {
  readonly file: string;
  /** Why it cannot be run here; false if it can. */
  readonly skip: string | false;
  readonly #source: string;
  readonly #go = findProgram('go', 'TIPHYS_GO');

  constructor(folder: string) {
    this.#source = join(import.meta.dirname, folder);
    const digest = createHash('sha256');
    const sources = readdirSync(this.#source).filter((name) => name.endsWith('.go') || name === 'go.mod');
    for (const name of sources.sort()) digest.update(readFileSync(join(this.#source, name)));
    this.file = join(cache, `clients-${folder}-${digest.digest('hex').slice(0, 12)}`);
    const isThere = existsSync(this.file) || this.#go;
    this.skip = isThere ? false : 'there is no Go to build the program with: put `go` on PATH';
  }

  /** Builds it unless that was done; rejects with what the compiler says. */
  async build(): Promise<void> {
    if (existsSync(this.file)) return;
    await mkdir(cache, { recursive: true });
    const built = `${this.file}.${process.pid}`;
    const { code, stderr } = await runProgram(this.#go ?? 'go', ['build', '-trimpath', '-o', built, '.'], {
      cwd: this.#source,
      env: { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
      timeout: 600_000,
    });
    if (code !== 0) throw new Error(`go build in ${this.#source} ended with ${code}: ${stderr}`);
    await rename(built, this.file);
  }
}
