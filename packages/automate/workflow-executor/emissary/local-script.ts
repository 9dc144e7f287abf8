import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Folders } from '../pod/folders.ts';
import type { Template } from '../pod/template.ts';

/**
 * The command with a script in which paths that the container mounts are those of this machine: arguments were rewritten before, but a
 * script is a file.
 */
export function localScript(
  command: readonly [string, ...string[]],
  { template, folders }: { template: Template; folders: Folders },
): readonly [string, ...string[]] {
  if (!template.script || !folders.root) return command;
  const at = command.indexOf(folders.script);
  if (at < 0) return command;
  const local = join(folders.root, 'script');
  const text = readFileSync(folders.script, 'utf8');
  writeFileSync(local, rewritten(text, { root: folders.root, mounted: mountedPaths(template) }), { mode: 0o755 });
  return command.map((word, index) => (index === at ? local : word)) as [string, ...string[]];
}

function mountedPaths({ inputs, script }: Template): string[] {
  const artifacts = (inputs?.artifacts ?? []).flatMap(({ path }) => path ?? []);
  const mounts = (script?.volumeMounts ?? []).map(({ mountPath }) => mountPath);
  return [...artifacts, ...mounts, '/tmp', '/var/run/argo', '/argo/staging'];
}

/** Only whole paths and those below them: `/data` is not meant by `/database` nor by `x/data`. */
function rewritten(text: string, { root, mounted }: { root: string; mounted: readonly string[] }): string {
  const paths = mounted.map((path) => path.replace(/(?<!\/)\/+$/, '')).filter(Boolean);
  paths.sort((a, b) => b.length - a.length);
  let result = '';
  for (let at = 0; at < text.length; ) {
    const path = isBegin(text[at - 1]) ? paths.find((each) => text.startsWith(each, at)) : undefined;
    if (path && isEnd(text[at + path.length])) {
      result += join(root, path);
      at += path.length;
    } else result += text[at++];
  }
  return result;
}

function isBegin(before: string | undefined): boolean {
  return before === undefined || !/[\w./-]/.test(before);
}

function isEnd(after: string | undefined): boolean {
  return after === undefined || !/[\w.-]/.test(after);
}
