import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import type { Log } from '../ports/log.ts';

/** Bytes of all scripts; browsers load them before anything of theirs is seen. */
const maxBytes = 32 * 1024 * 1024;
/** Files and folders that are looked at. */
const maxEntries = 10_000;
const script = /^extension.*\.js$/;

interface Found {
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

/** The scripts of UI extensions in a folder and those below it: files `extension….js`, never links. */
export class ExtensionScripts {
  readonly #dir: string;
  readonly #log: Log;
  #bundled: { readonly signature: string; readonly text: string } = { signature: '[]', text: '' };

  constructor(dir: string, log: Log) {
    this.#dir = dir;
    this.#log = log;
  }

  /** All of them as one script, in the order of their paths; empty if there is none. One that fails, or that is no script, leaves the others alone. */
  async text(): Promise<string> {
    const found = await this.#find();
    const signature = JSON.stringify(found);
    if (signature === this.#bundled.signature) return this.#bundled.text;
    let bytes = 0;
    const parts: string[] = [];
    for (const { path, size } of found) {
      bytes += size;
      parts.push(
        bytes > maxBytes ? this.#left(path, 'the extensions have more than 32 MiB') : await this.#wrapped(path),
      );
    }
    this.#bundled = { signature, text: parts.join('') };
    return this.#bundled.text;
  }

  async #wrapped(path: string): Promise<string> {
    const name = basename(path);
    const wrapped = `try {\n${await readFile(path, 'utf8')}\n} catch (error) { ${failed(name, 'String(error)')} }\n`;
    try {
      // compiled, not run: a syntax error would end the scripts of all others
      new Script(wrapped, { filename: name });
      return wrapped;
    } catch (error) {
      return this.#left(path, `it is not JavaScript: ${error instanceof Error ? error.message : error}`);
    }
  }

  #left(path: string, why: string): string {
    this.#log('error', 'a UI extension is left out', { file: path, why });
    return `${failed(basename(path), JSON.stringify(why))}\n`;
  }

  readonly #unread = (error: NodeJS.ErrnoException): [] => {
    if (error.code !== 'ENOENT') this.#log('error', 'UI extensions cannot be read', { error: error.message });
    return [];
  };

  async #find(): Promise<Found[]> {
    const found: Found[] = [];
    const folders = [this.#dir];
    let seen = 0;
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(this.#unread);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        seen += 1;
        if (seen > maxEntries) {
          this.#log('error', `UI extensions are left out: ${this.#dir} has more than ${maxEntries} files`);
          return found;
        }
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        if (!entry.isFile() || !script.test(entry.name)) continue;
        const { size, mtimeMs } = await lstat(path);
        found.push({ path, size, changed: mtimeMs });
      }
    }
    return found;
  }
}

/** The page listens for it. */
function failed(name: string, message: string): string {
  return `dispatchEvent(new CustomEvent('extension-failed', { detail: { name: ${JSON.stringify(name)}, message: ${message} } }));`;
}
