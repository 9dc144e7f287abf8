import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { findProgram } from '../e2e/find-program.ts';
import { runProgram } from './program.ts';
import { servers } from './servers.ts';

const source = join(import.meta.dirname, 'go');
const digest = createHash('sha256');
for (const file of ['main.go', 'go.mod']) digest.update(readFileSync(join(source, file)));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tiphys', 'bin');
const program = join(cache, `clients-${digest.digest('hex').slice(0, 12)}`);
const go = findProgram('go', 'TIPHYS_GO');
const skip = existsSync(program) || go ? false : 'there is no Go to build the program with: put `go` on PATH';

const steps = ['informers', 'conflict', 'apply', 'custom resources', 'metadata', 'leader election'];

describe('client-go', { skip, timeout: 600_000 }, () => {
  before(async () => {
    if (existsSync(program)) return;
    await mkdir(cache, { recursive: true });
    const built = `${program}.${process.pid}`;
    const { code, stderr } = await runProgram(go ?? 'go', ['build', '-trimpath', '-o', built, '.'], {
      cwd: source,
      env: { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
      timeout: 600_000,
    });
    assert.equal(code, 0, stderr);
    await rename(built, program);
  });

  for (const [name, start] of Object.entries(servers))
    test(`informers, applies, custom resources and leader election work on ${name}`, async () => {
      const server = await start();
      const client = connect(server.config, { asker: { component: 'test', purpose: 'test' } });
      const namespace = `client-go-${process.pid}`;
      try {
        await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
        const { code, stdout, stderr } = await runProgram(program, [server.file, namespace]);
        assert.deepEqual({ code, done: stdout.trim().split('\n') }, { code: 0, done: steps }, stderr);
      } finally {
        await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
        await client.close();
        await server.close();
      }
    });
});
