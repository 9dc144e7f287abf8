import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { freePort } from '../../../scripts/testing/free-ports.ts';
import { startTestProvider } from './testing/identity-provider.ts';
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

test('argocd login --sso: a login at the identity provider, and the rights of its groups', options, async (t) => {
  const provider = await startTestProvider(t, { clock: systemClock, publicClient: true });
  const { server, configure } = await startTestServer(t);
  await configure('argocd-rbac-cm', { 'policy.csv': 'g, devs, role:admin' });
  await configure('argocd-cm', {
    'oidc.config': `issuer: ${provider.issuer}\nclientID: tiphys\nenablePKCEAuthentication: true`,
  });
  const home = mkdtempSync(join(tmpdir(), 'tiphys-argocd-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, ARGOCD_CONFIG_DIR: home };
  const start = (...args: string[]) => {
    const child = spawn(argocd as string, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const listeners: (() => void)[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        for (const listener of listeners) listener();
      });
    return {
      text: () => output,
      onText: (listener: () => void) => listeners.push(listener),
      ended: new Promise<number | null>((resolve) => child.on('close', resolve)),
    };
  };
  const port = await freePort();
  const address = `127.0.0.1:${server.port}`;
  const login = start('login', address, '--sso', `--sso-port=${port}`, '--sso-launch-browser=false', '--plaintext');
  const asked = await new Promise<string>((resolve) =>
    login.onText(() => {
      // the listener of the command line is there once it tells where to go
      const url = /copy-and-paste the following URL into your preferred browser: (\S+)/.exec(login.text())?.[1];
      if (url) resolve(url);
    }),
  );
  assert.equal((await fetch(provider.follow(asked))).status, 200, login.text());
  assert.equal(await login.ended, 0, login.text());
  assert.match(login.text(), /'ada@example.com' logged in successfully/);
  const who = start('account', 'get-user-info', '--plaintext');
  assert.equal(await who.ended, 0, who.text());
  assert.match(who.text(), /Username: ada@example\.com[\s\S]*Groups: devs/);
  const may = start('account', 'can-i', 'delete', 'clusters', '*', '--plaintext');
  await may.ended;
  assert.match(may.text(), /yes/);
});
