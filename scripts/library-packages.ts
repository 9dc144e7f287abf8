import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFolder, root } from './architecture.ts';

const scope = '@tiphys/';

interface Manifest {
  name: string;
  version: string;
  license: string;
  description?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Packages that are of use by themselves. Others start threads and programs from their own sources. */
const libraries = ['sandbox'];

/** The oldest Node with a `node:sqlite` that needs no flag and the decompression that undici wants. */
const engines = { node: '>=22.15' };

/** Sources that only the repository needs. */
const excluded =
  /(^|\/)(node_modules|testing|testdata|generate|oracle)\/|\.test\.ts$|(^|\/)(generate[^/]*\.ts|parity\.ts)$/;

/**
 * A package and the packages of this workspace that it needs, as JavaScript with type declarations, each in a folder of
 * `target` from which `npm pack` and `npm publish` work. Node strips no types below `node_modules`, so TypeScript as it
 * stands could not be installed.
 * @returns the folders, what is needed first before what needs it
 * @throws Error with the compiler's lines where the sources do not compile, and for a package that is no library
 */
export function buildLibraryPackages(name: string, target: string): string[] {
  if (!libraries.includes(name))
    throw new Error(`The package ${name} cannot be installed by itself; these can: ${libraries.join(', ')}`);
  return closureOf(name).map((each) => buildPackage(each, join(target, each)));
}

function closureOf(name: string, seen: string[] = []): string[] {
  if (seen.includes(name)) return seen;
  for (const dependency of ownDependencies(manifestOf(name))) closureOf(dependency, seen);
  seen.push(name);
  return seen;
}

const ownDependencies = ({ dependencies = {} }: Manifest) =>
  Object.keys(dependencies)
    .filter((dependency) => dependency.startsWith(scope))
    .map((dependency) => dependency.slice(scope.length));

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, packageFolder(name), 'package.json'), 'utf8'));
}

function buildPackage(name: string, folder: string): string {
  const source = join(root, packageFolder(name));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = globSync('**/*', { cwd: source, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
    .filter((file) => !excluded.test(file));
  for (const file of files.filter((each) => !each.endsWith('.ts') && each !== 'package.json')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(source, file), join(folder, file));
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  compile(
    source,
    folder,
    files.filter((each) => each.endsWith('.ts')),
  );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifestOf(name)), undefined, 2)}\n`);
  return folder;
}

function compile(source: string, folder: string, files: readonly string[]): void {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rootDir: source,
    outDir: folder,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: [],
    files: files.map((file) => join(source, file)),
  };
  writeFileSync(project, JSON.stringify(config));
  const { status, stdout, error } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], {
    encoding: 'utf8',
  });
  rmSync(project);
  if (status !== 0) throw new Error(`${source} does not compile: ${error?.message ?? stdout}`);
  // declarations keep the names of the sources
  for (const file of globSync('**/*.d.ts', { cwd: folder }).map((each) => join(folder, each))) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'));
  }
}

function publishedManifest(manifest: Manifest): object {
  const { name, version, license, description, dependencies = {}, devDependencies = {} } = manifest;
  // the declarations speak of these
  const types = Object.entries(devDependencies).filter(([dependency]) => dependency.startsWith('@types/'));
  const pinned = [...Object.entries(dependencies), ...types].map(([dependency, range]) =>
    dependency.startsWith(scope)
      ? [dependency, manifestOf(dependency.slice(scope.length)).version]
      : [dependency, range],
  );
  return {
    name,
    version,
    ...(description ? { description } : {}),
    license,
    type: 'module',
    engines,
    exports: { types: './index.d.ts', default: './index.js' },
    dependencies: Object.fromEntries(pinned),
  };
}
