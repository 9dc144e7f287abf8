import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const webBuildFailed = defineDiagnosis('WebBuildFailed', 'The web page could not be built from its sources');

const web = join(import.meta.dirname, '..', '..', 'web');
const dist = join(web, 'dist');
const stamp = join(dist, '.sources');

/** The folder of the built web page; undefined if it must be built first. An image has the page alone, without its sources. */
export function builtWebPage(): string | undefined {
  if (!existsSync(join(web, 'src')) && existsSync(join(dist, 'index.html'))) return dist;
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest() ? dist : undefined;
}

/** Builds the web page with Vite into a new folder and swaps it in, so that a stopped build leaves nothing half done. */
export async function buildWebPage(signal: AbortSignal): Promise<string> {
  const wanted = digest();
  const fresh = `${dist}.${process.pid}`;
  let log = '';
  const code = await new Promise<number>((resolve, reject) => {
    const vite = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules', 'vite', 'bin', 'vite.js');
    const child = spawn(process.execPath, [vite, 'build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'], {
      cwd: web,
      signal,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.on('error', reject);
    child.on('exit', (status) => resolve(status ?? 1));
  });
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw failure(webBuildFailed, {
      message: `Vite ended with exit code ${code}`,
      evidence: { log: log.trim().slice(-2000) },
      remedies: [{ text: 'Install the dependencies anew', paste: 'npm install' }],
    });
  }
  writeFileSync(join(fresh, '.sources'), wanted);
  mkdirSync(dirname(dist), { recursive: true });
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
  return dist;
}

/** Changes when a source of the page or the locked dependencies change. */
function digest(): string {
  const hash = createHash('sha256');
  const own = globSync(['src/**/*', 'index.html', 'vite.config.ts', 'package.json', 'public/**/*'], {
    cwd: web,
    withFileTypes: false,
  });
  // the editor knows the fields of Applications by their definition, and the page tells what diagnoses mean
  const files = [...own, '../../../api/crds/applications.yaml', '../../../docs/diagnoses.md'].sort();
  for (const file of files) {
    if (!/\.[a-z]+$/.test(file) || /\.test\./.test(file)) continue;
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(web, file)))
      .update('\0');
  }
  return hash.digest('hex');
}
