import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeCertificate } from '@tiphys/git/testing';
import { systemClock } from '@tiphys/kubernetes';
import { startTestProvider, type TestProvider } from '../server/testing/identity-provider.ts';
import { startTestServer } from '../server/testing/start-test-server.ts';
import { runOwnCommands } from './own-commands.ts';
import { serverUrl } from './terminal/command-context.ts';
import { readSessions } from './terminal/session-file.ts';

interface Terminal {
  readonly lines: string[];
  readonly file: string;
  run(...argv: string[]): Promise<number>;
}

/** A command line with a home of its own; `onLine` hears what it prints. */
function terminal(t: TestContext, onLine: (line: string) => void = () => undefined): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'tiphys-login-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  return {
    lines,
    file: join(home, 'tiphys', 'sessions.json'),
    run: (...argv) =>
      runOwnCommands(argv, {
        output: { out: print, error: print, colours: false },
        env: { XDG_CONFIG_HOME: home },
        workdir: home,
        signal: new AbortController().signal,
        askPassword: async () => undefined,
      }),
  };
}

async function start(t: TestContext, oidc = '') {
  const provider = await startTestProvider(t, { clock: systemClock, publicClient: true });
  const server = await startTestServer(t, { clock: systemClock });
  await server.configure('argocd-rbac-cm', { 'policy.csv': 'g, devs, role:admin' });
  await server.configure('argocd-cm', {
    'oidc.config': `name: Corp\nissuer: ${provider.issuer}\nclientID: tiphys\n${oidc}`,
  });
  provider.claims = { sub: 'ada', preferred_username: 'Ada', groups: ['devs'] };
  return { provider, server };
}

/** A user who logs in at the address that is printed, and whose browser comes back. */
function browsing(provider: () => TestProvider, change: (callback: URL) => void = () => undefined) {
  const answers: Promise<string>[] = [];
  return {
    answers,
    onLine: (line: string) => {
      const address = /^Log in at (\S+)$/.exec(line)?.[1];
      if (!address) return;
      const target = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
      target.search = provider().follow(address).search;
      change(target);
      answers.push(fetch(target).then((answer) => answer.text()));
    },
  };
}

const sso = ['--sso', '--sso-port', '0', '--sso-launch-browser=false'];

test('login --sso gives a session of the identity provider, by a browser; relogin renews it in the same way', async (t) => {
  const { provider, server } = await start(t);
  const user = browsing(() => provider);
  const { run, file, lines } = terminal(t, user.onLine);
  const { url } = server.server;
  assert.equal(await run('login', url, ...sso, '--name', 'corp'), 0, lines.join('\n'));
  assert.match(lines.join('\n'), /'Ada' logged in successfully/);
  assert.match((await user.answers[0]) ?? '', /You are logged in/);
  assert.equal(await run('account', 'get-user-info', '--argocd-context', 'corp'), 0, lines.join('\n'));
  assert.match(lines.join('\n'), /Username: +ada/);
  const first = readSessions(file).tokens[url];
  assert.equal(await run('relogin', '--sso-port', '0', '--sso-launch-browser=false'), 0, lines.join('\n'));
  assert.notEqual(readSessions(file).tokens[url], first);
  assert.equal(await run('context'), 0);
  assert.match(lines.at(-1) ?? '', /\*\s+corp\s/);
});

test('an answer of another login, or a refusal, keeps nothing, and the page that says so is plain text (CVE-2021-23347)', async (t) => {
  const { provider, server } = await start(t);
  for (const [change, wanted] of [
    [(url: URL) => url.searchParams.set('state', 'another'), /not accepted: .*state/i],
    [
      (url: URL) => {
        url.search = `?error=access_denied&error_description=<script>x</script>&state=${url.searchParams.get('state')}`;
      },
      /the provider refused: access_denied/,
    ],
  ] as const) {
    const user = browsing(() => provider, change);
    const { run, file, lines } = terminal(t, user.onLine);
    assert.notEqual(await run('login', server.server.url, ...sso), 0);
    assert.match(lines.join('\n'), wanted);
    assert.doesNotMatch((await user.answers[0]) ?? '', /<script>/);
    assert.deepEqual(readSessions(file).tokens, {});
  }
});

test('a request for what is no address, at the port where a login waits, is answered, and the login goes on', async (t) => {
  const { provider, server } = await start(t);
  const user = browsing(() => provider);
  const odd: (number | undefined)[] = [];
  const { run, lines } = terminal(t, (line) => {
    const address = /^Log in at (\S+)$/.exec(line)?.[1];
    if (!address) return;
    const { hostname, port } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    request({ hostname, port, path: '//' }, (answer) => {
      odd.push(answer.resume().statusCode);
      user.onLine(line);
    }).end();
  });
  assert.equal(await run('login', server.server.url, ...sso), 0, lines.join('\n'));
  assert.deepEqual(odd, [404]);
});

test('what keeps a login by single sign-on from beginning is said with what to do', async (t) => {
  const { provider, server } = await start(t);
  const { run, lines } = terminal(t);
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, 'localhost', resolve));
  t.after(() => busy.close());
  const { port } = busy.address() as AddressInfo;
  assert.notEqual(await run('login', server.server.url, '--sso', '--sso-port', String(port)), 0);
  assert.match(lines.join('\n'), /another program has it[\s\S]*--sso-port NUMBER/);
  provider.away = true;
  assert.notEqual(await run('login', server.server.url, ...sso), 0);
  assert.match(lines.join('\n'), /identity provider \S+ gives no way to log in[\s\S]*tiphys login --username NAME/);
  await server.configure('argocd-cm', { 'oidc.config': '' });
  assert.notEqual(await run('login', server.server.url, ...sso), 0);
  assert.match(lines.join('\n'), /has no single sign-on/);
  assert.equal(await terminal(t).run('relogin'), 1);
});

test('a server with a certificate of its own is reached by --server-crt or --insecure, and headers go along', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tls = makeCertificate(join(folder, 'host'));
  const seen: string[] = [];
  const { createServer: createTlsServer } = await import('node:https');
  const server = createTlsServer({ cert: tls.cert, key: tls.key }, (request, response) => {
    seen.push(String(request.headers['x-team']));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"Version":"v3"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { run, lines } = terminal(t);
  assert.notEqual(await run('version', '--server', `https://${at}`), 0);
  assert.match(lines.join('\n'), /--server-crt FILE, or accept any with --insecure/);
  assert.equal(await run('version', '--server', at, '--insecure', '-H', 'x-team: shop'), 0, lines.join('\n'));
  assert.deepEqual(seen, ['shop']);
  assert.notEqual(await run('version', '--server', at, '--insecure', '-H', 'nothing'), 0);
  assert.match(lines.join('\n'), /--header "nothing" is no header/);
  assert.notEqual(await run('version', '--server', at, '--server-crt', join(folder, 'gone')), 0);
  assert.match(lines.join('\n'), /gone of --server-crt cannot be read/);
});

test('a server is reached by TLS unless it is on this machine, or --plaintext says otherwise', () => {
  assert.equal(serverUrl('cd.example.com'), 'https://cd.example.com');
  assert.equal(serverUrl('cd.example.com', { plaintext: true }), 'http://cd.example.com');
  assert.equal(serverUrl('localhost:8080'), 'http://localhost:8080');
  assert.equal(serverUrl('127.0.0.1:8080', { insecure: true }), 'https://127.0.0.1:8080');
  assert.equal(serverUrl('http://cd.example.com/'), 'http://cd.example.com');
});

test('ways around the server are refused with what to do, and idle flags are taken', async (t) => {
  const { run, lines } = terminal(t);
  assert.notEqual(await run('app', 'list', '--core'), 0);
  assert.match(lines.join('\n'), /--core is not there[\s\S]*tiphys core tiphys app list/);
  assert.notEqual(await run('app', 'list', '--port-forward'), 0);
  assert.match(lines.join('\n'), /kubectl port-forward service\/argocd-server/);
  assert.equal(await run('context', '--grpc-web', '--loglevel', 'debug'), 0);
});

test('configure keeps whether deletions are asked about', async (t) => {
  const { run, file } = terminal(t);
  assert.equal(await run('configure', '--prompts-enabled=false'), 0);
  assert.equal(readSessions(file).prompts, false);
  assert.equal(await run('configure', '--prompts-enabled'), 0);
  assert.equal(readSessions(file).prompts, true);
  assert.equal(await run('configure', '--prompts-enabled=perhaps'), 1);
});
