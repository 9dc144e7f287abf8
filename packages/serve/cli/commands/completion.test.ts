import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { runOwnCommands } from '../own-commands.ts';

const answers: Readonly<Record<string, unknown>> = {
  '/api/v1/applications': {
    items: [
      { metadata: { name: 'shop', namespace: 'argocd' } },
      { metadata: { name: 'shipping', namespace: 'argocd' } },
    ],
  },
  '/api/v1/applications/shop': { status: { history: [{ id: 3 }, { id: 4 }] } },
  '/api/v1/projects': { items: [{ metadata: { name: 'default' } }, { metadata: { name: 'team' } }] },
  '/api/v1/projects/team': { spec: { roles: [{ name: 'ci' }, { name: 'reader' }], sourceRepos: ['https://git/a'] } },
  '/api/v1/repositories': { items: [{ repo: 'https://git.example/a' }, { repo: 'https://git.example/b' }] },
  '/api/v1/clusters': { items: [{ server: 'https://kubernetes.default.svc', name: 'in-cluster' }] },
};

const asked: string[] = [];
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '', 'http://x').pathname;
  asked.push(path);
  const body = answers[path];
  response.writeHead(body ? 200 : 403, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? { message: 'permission denied' }));
});
let env: NodeJS.ProcessEnv = {};
let folder = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'tiphys-completion-'));
  env = {
    TIPHYS_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...words: string[]): Promise<string[]> {
  const lines: string[] = [];
  const code = await runOwnCommands(words, {
    output: { out: (text) => void lines.push(...text.split('\n')), error: assert.fail, colours: false },
    env,
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  assert.equal(code, 0);
  return lines;
}
const complete = (...words: string[]) => run('complete', '--', ...words);

test('names of what the server knows are completed by where they stand', async () => {
  assert.deepEqual(await complete('app', 'get', 'sh'), ['shipping', 'shop']);
  assert.deepEqual(await complete('app', 'sync', 'shop', 'shi'), ['shipping'], 'where several may stand');
  assert.deepEqual(await complete('app', 'get', 'shop', ''), [], 'where one may stand');
  assert.deepEqual(await complete('app', 'rollback', 'shop', ''), ['3', '4']);
  assert.deepEqual(await complete('proj', 'role', 'get', ''), ['default', 'team']);
  assert.deepEqual(await complete('project', 'role', 'get', 'team', 'c'), ['ci']);
  assert.deepEqual(await complete('proj', 'remove-source', 'team', ''), ['https://git/a']);
  assert.deepEqual(await complete('repo', 'rm', 'https://git.example/a', 'https://g'), [
    'https://git.example/a',
    'https://git.example/b',
  ]);
  assert.deepEqual(await complete('cluster', 'get', 'in'), ['in-cluster']);
});

test('values of flags are completed too', async () => {
  assert.deepEqual(await complete('app', 'list', '--project', ''), ['default', 'team']);
  assert.deepEqual(await complete('app', 'list', '-p', 't'), ['team']);
  assert.deepEqual(await complete('app', 'list', '--project=t'), ['--project=team']);
  assert.deepEqual(await complete('app', 'create', 'new', '--dest-name', ''), ['in-cluster']);
  assert.deepEqual(await complete('app', 'get', 'shop', '-o', 'tree'), ['tree', 'tree=detailed']);
  assert.deepEqual(await complete('app', 'get', '--refresh', 'shi'), ['shipping'], 'a flag without a value');
});

test('nothing is completed where no name stands, and where the server refuses or is away', async () => {
  const before = asked.length;
  assert.deepEqual(await complete('repo', 'add', ''), []);
  assert.deepEqual(await complete('app', 'ge'), []);
  assert.deepEqual(await complete('app', 'get', '--ref'), []);
  assert.deepEqual(await complete(''), []);
  assert.equal(asked.length, before, 'nobody was asked');
  assert.deepEqual(await complete('gpg', 'get', ''), []);
  assert.deepEqual(await complete('app', 'get', '--server', 'http://127.0.0.1:1', ''), []);
});

test('the script of bash completes commands, flags, names and addresses', async () => {
  const script = (await run('completion', 'bash')).join('\n');
  assert.doesNotMatch(script, /^\s+"complete"\)/m, 'the helper of the script is no command for people');
  const main = join(import.meta.dirname, '..', 'main.ts');
  const program = join(folder, 'tiphys');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'script'), script);
  const replies = async (line: string, word: string) => {
    const { stdout } = await promisify(execFile)(
      'bash',
      [
        '-c',
        'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _tiphys tiphys "$3" ""; printf "%s\\n" "${COMPREPLY[@]}"',
        'bash',
        join(folder, 'script'),
        line,
        word,
      ],
      { env: { ...process.env, ...env, PATH: `${folder}:${process.env['PATH']}` } },
    );
    return stdout.trim().split('\n');
  };
  assert.deepEqual(await replies('tiphys app get-', 'get-'), ['get-resource']);
  assert.deepEqual(await replies('tiphys app get --hard', '--hard'), ['--hard-refresh']);
  assert.deepEqual(await replies('tiphys app get sho', 'sho'), ['shop']);
  assert.deepEqual(await replies('tiphys app list --project ', ''), ['default', 'team']);
  // bash parts words at colons: what is before stands on the line
  assert.deepEqual(await replies('tiphys repo rm https://git.example/b', '//git.example/b'), ['//git.example/b']);
  assert.ok((await replies('tiphys app get ', '')).includes('shipping'));
  execFileSync('bash', ['-n', join(folder, 'script')]);
});
