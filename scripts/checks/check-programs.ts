import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root, sourceFiles } from '../architecture.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Files that may start programs, and whose word they take for which one and for its arguments. */
const starters: Readonly<Record<string, string>> = {
  'packages/sources/git/connect/git-process.ts':
    'git alone; callers put what comes from outside behind "--" or refuse what begins with "-"',
  'packages/sources/git/tree/object-reader.ts': 'git cat-file, whose questions are lines without blanks',
  'packages/sources/registry/access/docker-config.ts':
    'docker-credential-NAME of the docker configuration of whoever runs the process; NAME has no path',
  'packages/foundation/kubernetes/connect/credentials.ts':
    'the program of a kubeconfig; those of cluster Secrets are on the list of TIPHYS_EXEC_PROVIDERS',
  'packages/render/plugin/run-command.ts': "the command of an administrator's plugin.yaml",
  'packages/render/kustomize/program/run-program.ts':
    'programs of kustomizations, which two flags of the command line allow',
  'packages/progress/step-plugins/process/plugin-process.ts':
    "plugins that the controller's ConfigMap names, by their checksum",
  'packages/automate/workflow-executor/emissary/local-command.ts': "the user's own command in the user's own pod",
  'packages/automate/workflow-executor/emissary/save-local-outputs.ts': 'tar in the pod of the user, names behind "--"',
  'packages/deliver/upgrades/find/git-command.ts': 'git in a work tree that whoever runs the command names',
  'packages/serve/cli/preview/clone.ts':
    'git in a clone that whoever runs the command names, revisions behind "--end-of-options"',
  'packages/serve/cli/commands/core.ts': 'the program that whoever runs `tiphys core` names',
  'packages/serve/cli/terminal/edit-text.ts': 'the editor that whoever runs the command has in the environment',
  'packages/serve/cli/terminal/open-browser.ts':
    'opens the address of the identity provider that the server names, http alone',
  'packages/serve/cli/up/web-page.ts': 'vite of a checkout, with constant arguments',
  'packages/sandbox/process-runtime/': 'containers as processes, for a laptop of one’s own (--runtime process)',
};

/** Files that may name a shell: its script is constant, and what comes from outside are its arguments. */
const shells: Readonly<Record<string, string>> = {
  'packages/sandbox/process-runtime/': 'waits for the watchdog, then becomes the command: exec "$@"',
  'packages/automate/workflows/controller/containers/container-signals.ts':
    'runs in the container of the user: kill -NUMBER 1',
  'packages/sources/git/connect/git-environment.ts':
    'the shell by which ssh starts our proxy command, which is constant',
};

/** What is run by tests and when files are recorded; it never leaves this repository. */
const ofTests = /\/(?:testing|oracle|knowledge)\//;

const forbidden = new Set(['exec', 'execSync']);
const shellName = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k|a)?sh$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/;

/**
 * Every place of the packages that starts a program and is not on the list, asks for a shell, or names one, as `file:line: what is
 * wrong`: what comes from outside must never be a program, a shell's script, or an option.
 */
export function checkPrograms(files: readonly string[] = sourceFiles()): string[] {
  return files.flatMap((file) => {
    if (ofTests.test(file)) return [];
    const text = readFileSync(join(root, file), 'utf8');
    return /child_process|worker_threads|sh['"]|shell/.test(text) ? programBreaches(file, text) : [];
  });
}

/** The same of one file's text. */
export function programBreaches(file: string, text: string): string[] {
  const { program } = parseSync(file, text) as unknown as { program: Node };
  const isListed = (list: Readonly<Record<string, string>>) => Object.keys(list).some((one) => file.startsWith(one));
  const told: [Node, string][] = [];
  const imports = [
    ...nodesOf(program, 'ImportDeclaration').filter((node) => node['importKind'] !== 'type'),
    ...nodesOf(program, 'ImportExpression'),
  ].filter((node) => /^(?:node:)?child_process$/.test(String((node['source'] as Node | undefined)?.['value'] ?? '')));
  for (const node of imports) {
    const names = ((node['specifiers'] ?? []) as Node[])
      .filter((specifier) => specifier['importKind'] !== 'type')
      .map(({ imported }) => String((imported as Node | undefined)?.['name'] ?? '*'));
    if (names.some((name) => forbidden.has(name)) || names.includes('*') || node.type === 'ImportExpression')
      told.push([node, 'exec and the whole module give lines to a shell; import execFile or spawn by name']);
    else if (names.length > 0 && !isListed(starters))
      told.push([node, 'starts a program; say in scripts/checks/check-programs.ts who names it and its arguments']);
  }
  for (const node of nodesOf(program, 'Property')) {
    const value = node['value'] as Node;
    const key = node['key'] as Node;
    if ((key['name'] ?? key['value']) === 'shell' && value['value'] !== false && imports.length > 0)
      told.push([node, 'asks for a shell']);
  }
  if (!isListed(shells) && imports.length > 0)
    for (const node of nodesOf(program, 'Literal'))
      if (typeof node['value'] === 'string' && shellName.test(node['value'])) told.push([node, 'names a shell']);
  return told.map(([{ start }, what]) => `${file}:${text.slice(0, start).split('\n').length}: ${what}`);
}

function nodesOf(value: unknown, type: string): Node[] {
  if (Array.isArray(value)) return value.flatMap((item) => nodesOf(item, type));
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Node;
  return [...(node.type === type ? [node] : []), ...Object.values(value).flatMap((child) => nodesOf(child, type))];
}
