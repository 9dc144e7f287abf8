import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { buildKustomization } from '../build/build.ts';
import { kustomizeCommand } from '../command/kustomize-command.ts';
import { KustomizeError } from '../failure/kustomize-error.ts';
import { memoryTree } from '../load/file-tree.ts';

const home = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-programs-'));
after(() => rmSync(home, { recursive: true, force: true }));

let count = 0;
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = join(home, String(count++));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith('#!')) chmodSync(path, 0o755);
  }
  return folder;
}

async function build(folder: string, flags: readonly string[], env: Record<string, string> = {}) {
  let out = '';
  let error = '';
  const code = await kustomizeCommand(['build', folder, ...flags], {
    workdir: folder,
    env: { PATH: process.env.PATH, ...env },
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

const enabled = ['--enable-alpha-plugins', '--enable-exec'];
const deployment = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: NodePort}\n';
const functionConfig = (path: string, more = '') =>
  `apiVersion: x/v1\nkind: Fn\nmetadata:\n  name: fn\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: ${path}\n${more}`;

test('a function changes, adds and removes resources; its own traces do not show', async () => {
  const folder = folderOf({
    'kustomization.yaml': 'resources: [a.yaml, b.yaml]\nnamePrefix: p-\ntransformers: [fn.yaml]\n',
    'a.yaml': deployment,
    'b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gone}\n',
    'fn.yaml': functionConfig('./fn.sh'),
    'fn.sh': '#!/bin/sh\nsed -e s/NodePort/ClusterIP/ -e s/name:.p-gone/name:\\ new/\n',
  });
  const { out, error, code } = await build(folder, enabled);
  assert.deepEqual([code, error], [0, '']);
  assert.equal(
    out,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n---\napiVersion: v1\nkind: Service\nmetadata:\n  name: p-web\nspec:\n  type: ClusterIP\n',
  );
});

test('what a function generates may ask for a hash; arguments and variables reach it', async () => {
  const folder = folderOf({
    'kustomization.yaml': 'generators: [fn.yaml]\n',
    'fn.yaml': functionConfig('./fn.sh', '        args: ["a b"]\n        envs: [X=1, Y=2]\n'),
    'fn.sh':
      "#!/bin/sh\nprintf \"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: made, annotations: {kustomize.config.k8s.io/needs-hash: 'true'}}\\ndata: {a: '$1', x: '$X', y: '$Y', in: $(basename $PWD)}\\n\"\n",
  });
  const { out } = await build(folder, [...enabled, '--env', 'Y=3']);
  assert.match(out, /name: made-[a-z0-9]{10}\n/);
  assert.match(out, new RegExp(`a: a b\n {2}in: "?${folder.split('/').at(-1)}"?\n {2}x: "1"\n {2}"?y"?: "3"\n`));
});

test('no program runs unless both flags say so', async () => {
  const folder = folderOf({
    'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [fn.yaml]\n',
    'a.yaml': deployment,
    'fn.yaml': functionConfig('./fn.sh'),
    'fn.sh': '#!/bin/sh\ntouch ran\ncat\n',
  });
  const refused = await build(folder, ['--enable-exec']);
  assert.equal(refused.code, 1);
  assert.match(refused.error, /^Error: external plugins disabled; unable to load external plugin 'Fn'\n/);
  assert.match(refused.error, /--enable-alpha-plugins/);
  // Kustomize leaves a function out that it must not run.
  assert.equal((await build(folder, ['--enable-alpha-plugins'])).code, 0);
  assert.equal(existsSync(join(folder, 'ran')), false);
});

test('a function that fails is named with its file and what it said', async () => {
  const folder = folderOf({
    'kustomization.yaml': 'generators: [fn.yaml]\n',
    'fn.yaml': functionConfig('./fn.sh'),
    'fn.sh': '#!/bin/sh\necho no such luck >&2\nexit 3\n',
  });
  const { error } = await build(folder, enabled);
  assert.match(error, /^no such luck\nError: couldn't execute function: exit status 3\n/);
  assert.match(error, /fn\.yaml:1\)\n {2}standard error: no such luck/);
  for (const [path, words] of [
    ['./nope', 'fork/exec ./nope: no such file or directory'],
    ['no-such-program', 'exec: "no-such-program": executable file not found in $PATH'],
    ['./fn.yaml', 'fork/exec ./fn.yaml: permission denied'],
  ]) {
    writeFileSync(join(folder, 'fn.yaml'), functionConfig(path as string));
    assert.match(
      (await build(folder, enabled)).error,
      new RegExp(`^Error: couldn't execute function: ${(words as string).replace(/[$.]/g, '\\$&')}\n`),
    );
  }
});

test('a text without an interpreter is not handed to a shell', async () => {
  const folder = folderOf({
    'kustomization.yaml': 'generators: [fn.yaml]\n',
    'fn.yaml': functionConfig('./fn.sh'),
    'fn.sh': 'touch ran\n',
  });
  chmodSync(join(folder, 'fn.sh'), 0o755);
  assert.match((await build(folder, enabled)).error, /fork\/exec \.\/fn\.sh: exec format error/);
  assert.equal(existsSync(join(folder, 'ran')), false);
});

test('a container runs through docker, locked down as in Kustomize', async () => {
  const bin = folderOf({ docker: '#!/bin/sh\nprintf "%s\\n" "$@" > "$LOG"\ncat\n' });
  const log = join(bin, 'log');
  const folder = folderOf({
    'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [fn.yaml]\n',
    'a.yaml': deployment,
    'fn.yaml': functionConfig('').replace(
      /exec:\n *path: /,
      'container:\n        image: example.com/fn:1\n        mounts: [{type: bind, src: files, dst: /files}]\n        envs: [B=2, C]',
    ),
  });
  const env = { PATH: `${bin}:${process.env.PATH}`, LOG: log };
  const { out, error } = await build(
    folder,
    ['--enable-alpha-plugins', '-e', 'A=1', '--mount', 'type=bind,src=/x,dst=/y,rw=true'],
    env,
  );
  assert.equal(error, '');
  assert.match(out, /NodePort/);
  assert.deepEqual(readFileSync(log, 'utf8').trim().split('\n'), [
    ...['run', '--rm', '-i', '-a', 'STDIN', '-a', 'STDOUT', '-a', 'STDERR', '--network', 'none', '--user', 'nobody'],
    ...['--security-opt=no-new-privileges', '--mount', `type=bind,source=${folder}/files,target=/files,readonly`],
    ...['--mount', 'type=bind,source=/x,target=/y', '-e', 'A=1', '-e', 'B=2', '-e', 'LOG_TO_STDERR=true'],
    ...['-e', 'STRUCTURED_RESULTS=true', '-e', 'C', 'example.com/fn:1'],
  ]);
  const without = await build(folder, ['--enable-alpha-plugins'], { PATH: '/nowhere' });
  assert.match(without.error, /^Error: couldn't execute function: exec: "docker": executable file not found in \$PATH/);
  assert.match(without.error, /need docker where the build runs/);
});

test('a program of the plugin folder gets its configuration as a file', async () => {
  const plugins = folderOf({
    'x.example.com/v1/gen/Gen':
      "#!/bin/sh\nprintf \"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: g}\\ndata: {args: '$2|$3', kind: '$(grep kind: $1)', root: $(basename $KUSTOMIZE_PLUGIN_CONFIG_ROOT)}\\n\"\n",
  });
  const folder = folderOf({
    'kustomization.yaml': 'generators: [gen.yaml]\n',
    'gen.yaml': `apiVersion: x.example.com/v1\nkind: Gen\nmetadata: {name: x}\nargsOneLiner: "a 'b c' # d"\n`,
  });
  const { out, error } = await build(folder, ['--enable-alpha-plugins'], { KUSTOMIZE_PLUGIN_HOME: plugins });
  assert.equal(error, '');
  assert.match(out, /args: a\|b c\n {2}kind: 'kind: Gen'\n/);
  const other = await build(folder, ['--enable-alpha-plugins'], { KUSTOMIZE_PLUGIN_HOME: home });
  assert.match(other.error, /expected file with Go object code at: .*\/gen\/Gen\.so\n[\s\S]*Put a program at/);
});

test('files that are no folder of this machine are written to one for the program; it is stopped in time', async () => {
  const files = {
    'kustomization.yaml': 'generators: [fn.yaml]\n',
    'fn.yaml': functionConfig('/bin/sh', '        args: ["-c", ". ./run.txt"]\n'),
    'run.txt': 'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: x}\\ndata: {at: $PWD}\\n"',
  };
  const programs = {
    exec: true,
    network: false,
    mounts: [],
    env: [],
    asCurrentUser: false,
    environment: { PATH: process.env.PATH ?? '' },
  };
  const { yaml, reads } = await buildKustomization({ tree: memoryTree(files), path: '/', programs });
  const at = /at: (.*)\n/.exec(yaml)?.[1] ?? '';
  assert.match(at, /tiphys-kustomize-/);
  assert.equal(existsSync(at), false);
  assert.deepEqual(
    reads.filter(({ listed }) => listed).map(({ path }) => path),
    [''],
  );
  const slow = { ...files, 'run.txt': 'sleep 100 & wait' };
  await assert.rejects(
    buildKustomization({ tree: memoryTree(slow), path: '/', programs: { ...programs, limits: { time: 50 } } }),
    (error) => error instanceof KustomizeError && error.diagnosis.code === 'KustomizeProgramStopped',
  );
});

test('names of other kinds have the hash that Kustomize computes of places in the text', async () => {
  const service =
    'apiVersion: v1\nkind: Service\nmetadata:\n  name: s\n  annotations: {kustomize.config.k8s.io/needs-hash: "true"}\nspec:\n  ports:\n  - port: 80\n';
  const files = (text: string, more = ''): Record<string, string> => ({
    'kustomization.yaml': `generators: [fn.yaml]\nnamePrefix: p-\n${more}`,
    'fn.yaml': functionConfig('./fn.sh'),
    'fn.sh': '#!/bin/sh\ncat > /dev/null\ncat out.yaml\n',
    'out.yaml': text,
  });
  assert.match((await build(folderOf(files(service)), enabled)).out, /name: p-s-769b9622d7\n/);
  const commented = await build(folderOf(files(`${service}# the end\n`)), enabled);
  assert.match(commented.error, /a hash in the name of a Service depends on comments/);
});
