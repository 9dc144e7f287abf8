import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

const hasGo = spawnSync('go', ['version']).status === 0;
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys');

describe('The wrapper', { skip: !hasGo && 'there is no Go on PATH to build it with' }, () => {
  let scratch: string;
  let program: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'wrapper-'));
    program = join(scratch, 'argoexec');
    const built = spawnSync(
      'go',
      ['build', '-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid=', '-o', program, '.'],
      {
        cwd: join(import.meta.dirname, 'wrapper'),
        env: {
          ...process.env,
          CGO_ENABLED: '0',
          GOFLAGS: '',
          GOWORK: 'off',
          GOTOOLCHAIN: 'local',
          GOCACHE: join(cache, 'go-build'),
        },
        encoding: 'utf8',
      },
    );
    assert.equal(built.status, 0, built.stderr);
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  /** A pod's run folder with a template, and what runs a container of it. */
  function pod(template: object) {
    const run = mkdtempSync(join(scratch, 'run-'));
    writeFileSync(join(run, 'template'), JSON.stringify(template));
    const environment = (name: string, env: Record<string, string>) => ({
      PATH: process.env.PATH ?? '',
      ARGO_CONTAINER_NAME: name,
      TIPHYS_RUN_FOLDER: run,
      TIPHYS_TERMINATION_LOG: join(run, `${name}.termination`),
      ...env,
    });
    const start = (name: string, command: readonly string[], env: Record<string, string> = {}) => {
      const child = spawn(program, ['emissary', '--loglevel', 'info', '--', ...command], {
        env: environment(name, env),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.stderr.on('data', (chunk) => (output += chunk));
      const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
      return { child, ended, output: () => output };
    };
    const file = (path: string) => readFileSync(join(run, path), 'utf8');
    return { run, start, file };
  }

  /** Resolves when a file is there: the container has come so far. */
  async function untilThere(path: string): Promise<void> {
    for (const end = Date.now() + 120_000; !existsSync(path) && Date.now() < end; )
      await new Promise((next) => setTimeout(next, 10));
    assert.ok(existsSync(path), `${path} is not there`);
  }

  test('gives the exit code of the command, and keeps its output where somebody wants it', async () => {
    const { start, file, run } = pod({});
    const kept = start('main', ['sh', '-c', 'echo out; echo err >&2; exit 3'], { ARGO_INCLUDE_SCRIPT_OUTPUT: 'true' });
    assert.equal(await kept.ended, 3);
    assert.equal(file('ctr/main/exitcode'), '3');
    assert.equal(file('ctr/main/stdout'), 'out\n');
    assert.deepEqual(file('ctr/main/combined').trim().split('\n').sort(), ['err', 'out']);
    assert.equal(await start('other', ['sh', '-c', 'echo out']).ended, 0);
    assert.ok(!existsSync(join(run, 'ctr/other/stdout')));
  });

  test('says which program there is not, and ends with 64', async () => {
    const { start, file } = pod({});
    assert.equal(await start('main', ['no-such-program']).ended, 64);
    assert.match(file('main.termination'), /cannot find the program no-such-program/);
    assert.equal(file('ctr/main/exitcode'), '64');
  });

  test('leaves parameters and artifacts where wait finds them, but not those on volumes', async () => {
    const files = mkdtempSync(join(scratch, 'files-'));
    const volume = mkdtempSync(join(scratch, 'volume-'));
    mkdirSync(join(files, 'folder'));
    writeFileSync(join(files, 'folder', 'inner'), 'text');
    symlinkSync('inner', join(files, 'folder', 'link'));
    const path = join(files, 'value');
    const { start, file, run } = pod({
      container: { volumeMounts: [{ mountPath: volume }] },
      outputs: {
        parameters: [
          { valueFrom: { path } },
          { valueFrom: { path: join(volume, 'p') } },
          { valueFrom: { path: `${path}.none` } },
        ],
        artifacts: [{ path: join(files, 'folder') }],
      },
    });
    assert.equal(await start('main', ['sh', '-c', `echo hello > ${path}; echo x > ${volume}/p`]).ended, 0);
    assert.equal(file(join('outputs/parameters', path)), 'hello\n');
    assert.ok(!existsSync(join(run, 'outputs/parameters', volume)));
    const archive = join(run, 'outputs/artifacts', `${files}/folder.tgz`);
    const listed = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout;
    assert.deepEqual(listed.trim().split('\n').sort(), ['folder', 'folder/inner', 'folder/link']);
  });

  test('sends signals of the container and of wait to the whole group', async () => {
    const { start, file, run } = pod({});
    const script = `trap 'exit 7' TERM; echo ready > ${run}/ready; while :; do sleep 0.05; done`;
    const first = start('main', ['sh', '-c', script]);
    await untilThere(join(run, 'ready'));
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 7);
    rmSync(join(run, 'ready'));
    const second = start('main', ['sh', '-c', script]);
    await untilThere(join(run, 'ready'));
    writeFileSync(join(run, 'ctr/main/signal'), '9');
    assert.equal(await second.ended, 137);
    assert.equal(file('ctr/main/exitcode'), '137');
    assert.ok(!existsSync(join(run, 'ctr/main/signal')));
  });

  test('runs the containers of a set in the order of their graph', async () => {
    const set = { containerSet: { containers: [{ name: 'a' }, { name: 'b', dependencies: ['a'] }] } };
    const good = pod(set);
    const later = good.start('b', ['sh', '-c', `cat ${good.run}/made`]);
    const earlier = good.start('a', ['sh', '-c', `echo made > ${good.run}/made`]);
    assert.equal(await earlier.ended, 0);
    assert.equal(await later.ended, 0);
    assert.match(later.output(), /made/);
    const bad = pod(set);
    const left = bad.start('b', ['true']);
    assert.equal(await bad.start('a', ['false']).ended, 1);
    assert.equal(await left.ended, 64);
    assert.match(bad.file('b.termination'), /dependency "a" exited with non-zero code: 1/);
    const killed = pod(set);
    const other = killed.start('b', ['true']);
    assert.equal(await killed.start('a', ['sh', '-c', 'kill -9 $$']).ended, 137);
    assert.equal(await other.ended, 143);
  });

  test('tries the containers of a set again as often as they may', async () => {
    const { start, run } = pod({
      containerSet: { containers: [{ name: 'main' }], retryStrategy: { retries: 3, duration: '1ms' } },
    });
    assert.equal(
      await start('main', ['sh', '-c', `echo x >> ${run}/tries; test $(wc -l < ${run}/tries) = 3`]).ended,
      0,
    );
  });

  test('ends a sidecar when the main container has ended', async () => {
    const { start, run } = pod({ sidecars: [{ name: 'proxy' }] });
    const sidecar = start('proxy', ['sh', '-c', `echo > ${run}/ready; sleep 600`]);
    await untilThere(join(run, 'ready'));
    assert.equal(await start('main', ['true']).ended, 0);
    assert.equal(await sidecar.ended, 143);
  });

  test('takes arguments from a file, and gives those that no program can be started with as files', async () => {
    const { start, run } = pod({});
    const args = join(run, 'args');
    writeFileSync(args, JSON.stringify(['small', 'x'.repeat(131_073)]));
    const script = join(run, 'show');
    writeFileSync(script, '#!/bin/sh\necho $1; echo $2\n');
    chmodSync(script, 0o755);
    const { ended, output } = start('main', [script], { ARGO_CONTAINER_ARGS_FILE: args });
    assert.equal(await ended, 0);
    assert.match(output(), /small\n@\/tmp\/argo_arg_1\.txt/);
  });

  test('waits for those who look into a container before and after it runs', async () => {
    const { start, run } = pod({});
    const { ended } = start('main', ['sh', '-c', `echo > ${run}/ran`], {
      ARGO_DEBUG_PAUSE_BEFORE: 'true',
      ARGO_DEBUG_PAUSE_AFTER: 'true',
    });
    await untilThere(join(run, 'ctr/main'));
    assert.ok(!existsSync(join(run, 'ran')));
    writeFileSync(join(run, 'ctr/main/before'), '');
    await untilThere(join(run, 'ran'));
    assert.ok(!existsSync(join(run, 'ctr/main/exitcode')));
    writeFileSync(join(run, 'ctr/main/after'), '');
    assert.equal(await ended, 0);
  });

  test('says of other roles that they need the image', () => {
    const { status, stderr } = spawnSync(program, ['wait'], {
      encoding: 'utf8',
      env: { TIPHYS_TERMINATION_LOG: join(scratch, 'log') },
    });
    assert.equal(status, 64);
    assert.match(stderr, /a role of Tiphys' image/);
  });
});
