import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import { startTestServer } from './testing/start-test-server.ts';

/** The real argocd of Argo CD 3.5: named by TIPHYS_ARGOCD, or the one on PATH. */
const argocd = [
  process.env.TIPHYS_ARGOCD,
  ...(process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, 'argocd')),
].find((file) => {
  if (!file) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});
const options = argocd ? {} : { skip: 'the argocd CLI is neither named by TIPHYS_ARGOCD nor on PATH' };

type Run = (...args: string[]) => Promise<{ code: number; output: string }>;

/** Runs the CLI with a configuration of its own; output is both streams. */
async function loggedIn(
  t: TestContext,
  ...flags: string[]
): Promise<{ run: Run; password: string; server: string; home: string }> {
  const { server, password } = await startTestServer(t);
  const home = mkdtempSync(join(tmpdir(), 'tiphys-argocd-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const address = `127.0.0.1:${server.port}`;
  const run: Run = (...args) =>
    new Promise((resolve) =>
      execFile(
        argocd as string,
        [...args, ...flags],
        { env: { ...process.env, ARGOCD_CONFIG_DIR: home } },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr }),
      ),
    );
  const login = await run('login', address, '--plaintext', '--username', 'admin', '--password', password);
  assert.equal(login.code, 0, login.output);
  assert.match(login.output, /'admin:login' logged in successfully/);
  return { run, password, server: address, home };
}

for (const flags of [[], ['--grpc-web']]) {
  const how = flags.join(' ') || 'by gRPC';
  test(`argocd ${how}: who am I, versions, accounts`, options, async (t) => {
    const { run, password, server, home } = await loggedIn(t, ...flags);
    const ok = async (expected: RegExp, ...args: string[]) => {
      const { code, output } = await run(...args);
      assert.equal(code, 0, `${args.join(' ')}: ${output}`);
      assert.match(output, expected, args.join(' '));
    };
    await ok(/Username: admin/, 'account', 'get-user-info');
    await ok(/argocd-server: v3\.5\.1\+tiphys/, 'version');
    await ok(/admin +true +login/, 'account', 'list');
    await ok(/^yes/, 'account', 'can-i', 'sync', 'applications', 'default/shop');
    const config = parseDocuments(readFileSync(join(home, 'config'), 'utf8'), { file: 'config' }).documents[0]?.value;
    const token = /"auth-token":"([^"]+)"/.exec(JSON.stringify(config))?.[1] ?? '';
    await ok(/Logged out from/, 'logout', server, '--plaintext');
    const after = await run('proj', 'list', '--auth-token', token, '--server', server, '--plaintext');
    assert.match(after.output, /token is revoked/);
    await ok(/logged in successfully/, 'login', server, '--plaintext', '--username', 'admin', '--password', password);
    await ok(
      /Password updated/,
      'account',
      'update-password',
      '--current-password',
      password,
      '--new-password',
      'a-better-one',
    );
  });

  test(`argocd ${how}: projects, their roles, tokens and windows`, options, async (t) => {
    const { run, server } = await loggedIn(t, ...flags);
    const ok = async (...args: string[]) => {
      const { code, output } = await run(...args);
      assert.equal(code, 0, `${args.join(' ')}: ${output}`);
      return output;
    };
    await ok('proj', 'create', 'shop', '-d', 'https://kubernetes.default.svc,shop', '-s', 'https://example.test/r');
    await ok('proj', 'role', 'create', 'shop', 'ci');
    await ok('proj', 'role', 'add-policy', 'shop', 'ci', '--action', 'get', '--object', '*');
    const token = (await ok('proj', 'role', 'create-token', 'shop', 'ci', '--token-only')).trim();
    assert.match(await ok('proj', 'list', '--auth-token', token, '--server', server, '--plaintext'), /^shop /m);
    assert.match(
      (await run('proj', 'delete', 'shop', '--auth-token', token, '--server', server, '--plaintext')).output,
      /permission denied/,
    );
    await ok(
      'proj',
      'windows',
      'add',
      'shop',
      '--kind',
      'deny',
      '--schedule',
      '0 0 1 1 *',
      '--duration',
      '1h',
      '--applications',
      '*',
    );
    assert.match(await ok('proj', 'windows', 'list', 'shop'), /deny +0 0 1 1 \* +1h/);
    assert.match(await ok('proj', 'get', 'shop'), /https:\/\/example\.test\/r/);
    assert.match((await run('proj', 'delete', 'default')).output, /name 'default' is reserved and cannot be deleted/);
    await ok('proj', 'delete', 'shop');
  });

  test(`argocd ${how}: repositories, credentials, certificates and clusters`, options, async (t) => {
    const { run } = await loggedIn(t, ...flags);
    const ok = async (...args: string[]) => {
      const { code, output } = await run(...args);
      assert.equal(code, 0, `${args.join(' ')}: ${output}`);
      return output;
    };
    await ok('repo', 'add', 'https://example.test/r', '--username', 'u', '--password', 'MARKER');
    const listed = await ok('repo', 'list', '-o', 'json');
    assert.ok(listed.includes('https://example.test/r') && !listed.includes('MARKER'));
    assert.match(
      (await run('repo', 'add', 'https://example.test/r', '--username', 'u', '--password', 'other')).output,
      /existing repository spec is different; use upsert flag to force update; difference in keys \\?"Password/,
    );
    await ok('repo', 'rm', 'https://example.test/r');
    await ok('repocreds', 'add', 'https://example.test/', '--username', 'u', '--password', 'MARKER');
    assert.match(await ok('repocreds', 'list'), /https:\/\/example\.test\/ +u/);
    const hosts = join(mkdtempSync(join(tmpdir(), 'tiphys-hosts-')), 'known_hosts');
    writeFileSync(
      hosts,
      'example.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n',
    );
    await ok('cert', 'add-ssh', '--batch', '--from', hosts);
    rmSync(hosts);
    assert.match(
      await ok('cert', 'list'),
      /example\.test +ssh +ssh-ed25519 +SHA256:\+DiY3wvvV6TuJJhbpZisF\/zLDA0zPMSvHdkr4UvCOqU/,
    );
    await ok('cert', 'rm', 'example.test');
    assert.match(await ok('cluster', 'list'), /https:\/\/kubernetes\.default\.svc +in-cluster/);
  });
}
