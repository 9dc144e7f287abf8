import { createHash } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import { fileTooBig } from '../repository/diagnoses.ts';
import {
  type AttributeFile,
  type AttributeSettings,
  type AttributeValue,
  isDeciding,
  parseAttributes,
} from './attribute-file.ts';
import { type Conversion, conversionOf } from './conversion.ts';
import type { Folder } from './tree-cache.ts';

export const attributesName = '.gitattributes';
const maxBytes = 1024 * 1024;
/** Rules that one path is compared with. */
const mostRules = 2_000;

/** Parsed files by the id of their content. */
const parsed = new Map<string, AttributeFile>();
const mostParsed = 500;
/** What every repository has. */
const builtIn: ReadonlyMap<string, AttributeSettings> = new Map([['binary', [['text', false]]]]);

interface Reader {
  size(oid: string): Promise<number>;
  blob(oid: string): Promise<Buffer>;
}

/** The rules that hold for the files of a folder: those of its own `.gitattributes` go before those of the folders around it. */
export class Attributes {
  readonly #file: AttributeFile;
  readonly #folder: string;
  readonly #around: Attributes | undefined;
  readonly #converts: boolean;
  readonly #all: string;

  private constructor(
    file: AttributeFile,
    { folder, oid, around }: { folder: string; oid: string; around: Attributes | undefined },
  ) {
    this.#file = file;
    this.#folder = folder;
    this.#around = around;
    this.#converts = file.converts || (around ? around.#converts : false);
    this.#all = digestOf(around ? around.#all : '', folder, oid);
  }

  /** Undefined where there are none. `folder` is its path from the top of its repository. */
  static async of(
    { folder, entries, around }: { folder: string; entries: Folder; around: Attributes | undefined },
    objects: Reader,
  ): Promise<Attributes | undefined> {
    const entry = entries.get(attributesName);
    if (entry?.kind !== 'file') return around;
    const { oid } = entry;
    const isTop = folder === '';
    const file =
      parsed.get(`${oid}${isTop}`) ?? remembered(`${oid}${isTop}`, await read({ folder, oid, isTop }, objects));
    const found = new Attributes(file, { folder, oid, around });
    const count = found.#count();
    if (found.#converts && count > mostRules)
      throw refused(folder, `has, with those of the folders around it, ${count} rules; the limit is ${mostRules}`);
    return found;
  }

  /** An id for what the rules say; undefined where they make no file other than it is stored. */
  get digest(): string | undefined {
    return this.#converts ? this.#all : undefined;
  }

  /** How a file differs from what is stored; undefined where it does not. `path` is from the top of its repository. */
  conversionOf(path: string): Conversion | undefined {
    if (!this.#converts) return undefined;
    const found = new Map<string, AttributeValue>();
    const macros = this.#macros();
    for (let level: Attributes | undefined = this; level; level = level.#around) {
      const inside = level.#folder === '' ? path : path.slice(level.#folder.length + 1);
      for (const { matches, settings } of level.#file.rules) if (matches(inside)) take(found, settings, macros);
    }
    return conversionOf(found);
  }

  #count(): number {
    return this.#file.rules.length + (this.#around ? this.#around.#count() : 0);
  }

  /** Those of the top folder, and git's own. */
  #macros(): ReadonlyMap<string, AttributeSettings> {
    return this.#around ? this.#around.#macros() : new Map([...builtIn, ...this.#file.macros]);
  }
}

/** Takes what is not said yet; a macro that is set stands for what it names. */
function take(
  found: Map<string, AttributeValue>,
  settings: AttributeSettings,
  macros: ReadonlyMap<string, AttributeSettings>,
): void {
  for (const [name, value] of settings) {
    const macro = macros.get(name);
    if (found.has(name) || (!macro && !isDeciding(name))) continue;
    found.set(name, value);
    if (macro && value === true) take(found, macro, macros);
  }
}

async function read(
  { folder, oid, isTop }: { folder: string; oid: string; isTop: boolean },
  objects: Reader,
): Promise<AttributeFile> {
  const size = await objects.size(oid);
  if (size > maxBytes) throw refused(folder, `has ${size} bytes; the limit is ${maxBytes}`);
  return parseAttributes((await objects.blob(oid)).toString('utf8'), isTop);
}

function remembered(key: string, file: AttributeFile): AttributeFile {
  const [oldest] = parsed.keys();
  if (parsed.size >= mostParsed && oldest !== undefined) parsed.delete(oldest);
  parsed.set(key, file);
  return file;
}

function refused(folder: string, why: string) {
  const file = folder === '' ? attributesName : `${folder}/${attributesName}`;
  return failure(fileTooBig, {
    message: `The file ${file} ${why}`,
    place: { file },
    remedies: ['Write fewer patterns that are about more'],
  });
}

/** An id for what is not one of git's objects; as long as git's. */
export function digestOf(...parts: readonly string[]): string {
  return createHash('sha1').update(parts.join('\0')).digest('hex');
}
