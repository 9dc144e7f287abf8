import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { root } from '../architecture.ts';
import { modulesOf } from './changed-files.ts';

/** Files that import fewer modules than this start as fast from the sources. */
const smallest = 150;
/** For fewer files than this, packing costs more than it saves. */
const fewest = 6;
const day = 86_400_000;

/** The executable, for tests that start it many times. */
const program = 'packages/serve/cli/main.ts';
/** What threads of the server run. A test may start dozens, and each would load its sources anew. */
const threads = 'packages/*/*/**/*-{thread,worker}.ts';
/** Stands in packed code for the folder that is named after that code. */
const folderMark = 'file:///packed-tests';

export interface Packed {
  /** Path of what is run for a source file, both absolute. */
  readonly files: ReadonlyMap<string, string>;
  /** The executable, if it was packed. */
  readonly program: string | undefined;
}

export const unpacked: Packed = { files: new Map(), program: undefined };

/**
 * Packs test files that import many modules, and the executable, with all sources that they import: half of what it costs to
 * start them is looking up, reading and compiling some thousand small modules. Sources are shared in chunks, so that a module
 * is one in each process as ever; `import.meta` names the source. Packages of npm stay outside. Tests of scripts load sources by
 * their paths, beside which packed ones would be a second copy: they are never packed.
 */
export async function packTests(files: readonly string[]): Promise<Packed> {
  const large = files.filter((file) => !file.startsWith('scripts/') && modulesOf(file, smallest) >= smallest);
  if (large.length < fewest) return unpacked;
  const chunks = await bundle([...large, program], threadModules());
  const digest = createHash('sha256')
    .update(JSON.stringify([process.version, chunks]))
    .digest('hex')
    .slice(0, 16);
  const all = join(root, 'node_modules', '.tiphys-tests');
  const folder = join(all, digest);
  if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
  else write(folder, chunks);
  removeOld(all);
  const packedPath = (file: string): string => join(folder, packedName(file));
  return {
    files: new Map(large.map((file) => [join(root, file), packedPath(file)])),
    program: packedPath(program),
  };
}

/** Threads of browsers are the page's own build. */
function threadModules(): string[] {
  return globSync(threads, { cwd: root, exclude: (path) => path.includes('node_modules') }).filter(
    (file) => !file.startsWith('packages/serve/web/'),
  );
}

/** `test/e2e/sync.test.ts` becomes `test/e2e/sync.test.mjs`. */
function packedName(file: string): string {
  return file.replace(/\.tsx?$/, '.mjs');
}

async function bundle(
  programs: readonly string[],
  threadFiles: readonly string[],
): Promise<[name: string, code: string][]> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      [...programs, ...threadFiles].map((file) => [packedName(file).replace(/\.mjs$/, ''), join(root, file)]),
    ),
    platform: 'node',
    external: (id) => !/^(\.|\/|@tiphys\/)/.test(id),
    plugins: [placesOfThreads(new Set(threadFiles)), placesOfSources],
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
      keepNames: true,
    });
    return output.flatMap((chunk) =>
      chunk.type === 'chunk' ? [[chunk.fileName, chunk.code] as [string, string]] : [],
    );
  } finally {
    await build.close();
  }
}

/** Who starts a thread gets the packed one. */
function placesOfThreads(threadFiles: ReadonlySet<string>): Plugin {
  return {
    name: 'places-of-threads',
    transform(code, id) {
      if (!code.includes('new URL(')) return undefined;
      return code.replace(/new URL\('(\.[^']+)', import\.meta\.url\)/g, (whole, name: string) => {
        const file = relative(root, join(dirname(id), name));
        return threadFiles.has(file) ? `new URL('${folderMark}/${packedName(file)}')` : whole;
      });
    },
  };
}

/** Sources find their data beside themselves. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  transform(code, id) {
    if (!code.includes('import.meta.') || id.includes('node_modules')) return undefined;
    const places = { dirname: dirname(id), filename: id, url: `file://${id}` };
    return code
      .replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name: keyof typeof places) =>
        JSON.stringify(places[name]),
      )
      .replace(/\bimport\.meta\.main\b/g, 'false');
  },
};

/** Writes beside the target and renames: another run may be packing the same. */
function write(folder: string, chunks: readonly (readonly [string, string])[]): void {
  const fresh = `${folder}.${process.pid}`;
  for (const [name, code] of chunks) {
    mkdirSync(dirname(join(fresh, name)), { recursive: true });
    writeFileSync(join(fresh, name), code.replaceAll(folderMark, pathToFileURL(folder).href));
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** What no run has used for a day. */
function removeOld(all: string): void {
  for (const name of readdirSync(all)) {
    const folder = join(all, name);
    if (Date.now() - statSync(folder).mtimeMs > day) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const started = performance.now();
  const { files, program: packed } = await packTests(process.argv.slice(2));
  for (const file of files.values()) process.stdout.write(`${relative(root, file)}\n`);
  process.stdout.write(`${packed} in ${Math.round(performance.now() - started)} ms\n`);
}
