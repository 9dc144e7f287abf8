import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { systemClock } from '@tiphys/kubernetes';
import { GitRepositories } from '../git-repositories.ts';
import type { Credentials } from '../repository/credentials.ts';
import {
  type GitServerBehaviour,
  makeCertificate,
  startGitServer,
  type TestCertificate,
  TestRepository,
} from '../testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-remote-'));
const git = new GitRepositories({
  cacheDir: join(folder, 'cache'),
  timeouts: { request: 120_000 },
  localRepositories: 'any',
});
const origin = new TestRepository(join(folder, 'shop'));
const head = origin.commit({ 'a.yaml': 'a: 1\n' });

after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

async function refusalOf(promise: Promise<unknown>): Promise<DiagnosisError> {
  const error = await promise.then(
    () => assert.fail('it was read'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error;
}

async function served(
  behaviour: GitServerBehaviour & { tls?: TestCertificate },
  credentials: Credentials,
  path = '/shop',
): Promise<DiagnosisError | string> {
  const server = await startGitServer(folder, behaviour);
  try {
    return (await git.resolve({ url: `${server.url}${path}`, credentials }, 'main')).commit;
  } catch (error) {
    assert.ok(error instanceof DiagnosisError, String(error));
    return error;
  } finally {
    await server.close();
  }
}

const evidenceOf = (diagnosis: Diagnosis, name: string) => diagnosis.evidence.find((item) => item.name === name)?.value;

test('credentials are accepted: password, bearer token, user information of the URL', async () => {
  assert.equal(await served({ auth: { username: 'u', password: 'p w$' } }, { username: 'u', password: 'p w$' }), head);
  assert.equal(await served({ bearer: 'tok' }, { bearerToken: 'tok' }), head);
  const server = await startGitServer(folder, { auth: { username: 'u', password: 'p' } });
  const { commit } = await git.resolve({ url: `${server.url.replace('//', '//u:p@')}/shop` }, '');
  assert.equal(commit, head);
  const tree = await git.open({ url: `${server.url.replace('//', '//u:p@')}/shop` }, head);
  assert.equal(Buffer.from(await tree.read('a.yaml')).toString(), 'a: 1\n');
  await server.close();
});

const secret = 'MARKER-secret-0123456789';

for (const { name, behaviour, credentials, path, code, cause, message, evidence } of [
  {
    name: 'wrong password',
    behaviour: { auth: { username: 'u', password: 'right' } },
    credentials: { username: 'u', password: secret, from: 'repo-shop' },
    code: 'RepositoryCredentialRefused',
    cause: 'R1',
    message: /refused the credential \(user "u" with password ending in 6789 from Secret repo-shop\)/,
    evidence: { 'HTTP status': '401' },
  },
  {
    name: 'no credential',
    behaviour: { auth: { username: 'u', password: 'right' } },
    credentials: {},
    code: 'RepositoryCredentialRefused',
    cause: 'R1',
    message: /wants a credential, and none is configured/,
    evidence: { credential: 'none' },
  },
  {
    name: 'wrong bearer token',
    behaviour: { bearer: 'right' },
    credentials: { bearerToken: secret },
    code: 'RepositoryCredentialRefused',
    cause: 'R1',
    message: /bearer token/,
    evidence: {},
  },
  {
    name: 'missing repository',
    behaviour: {},
    credentials: {},
    path: '/nothing',
    code: 'RepositoryNotFound',
    cause: 'R2',
    message: /not found, or not visible/,
    evidence: { 'HTTP status': '404' },
  },
  {
    name: 'rate limit',
    behaviour: {
      answer: {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': '4102444800' },
      },
    },
    credentials: {},
    code: 'RepositoryRateLimited',
    cause: 'R6',
    message: /0 of 5000 requests left, until 2100-01-01/,
    evidence: { 'x-ratelimit-remaining': '0', 'resets at': '2100-01-01T00:00:00.000Z' },
  },
  {
    name: 'too many requests',
    behaviour: { answer: { status: 429, headers: { 'retry-after': '30' } } },
    credentials: {},
    code: 'RepositoryRateLimited',
    cause: 'R6',
    message: /limits our requests/,
    evidence: { 'retry-after': '30' },
  },
  {
    name: 'redirect',
    behaviour: {
      answer: {
        status: 301,
        headers: { location: 'https://elsewhere.example/shop.git/info/refs?service=git-upload-pack' },
      },
    },
    credentials: { username: 'u', password: secret },
    code: 'RepositoryRedirected',
    cause: 'RepositoryRedirected',
    message: /redirects to https:\/\/elsewhere\.example\/shop\.git;/,
    evidence: {},
  },
  {
    name: 'server error',
    behaviour: { answer: { status: 503 } },
    credentials: {},
    code: 'RepositoryUnreachable',
    cause: 'R8',
    message: /answers with error 503/,
    evidence: { 'HTTP status': '503' },
  },
] satisfies {
  name: string;
  behaviour: GitServerBehaviour;
  credentials: Credentials;
  path?: string;
  code: string;
  cause: string;
  message: RegExp;
  evidence: Record<string, string>;
}[]) {
  test(`${name}: ${cause}, with evidence and without secrets`, async () => {
    const error = await served(behaviour, credentials, path);
    assert.ok(error instanceof DiagnosisError);
    const { diagnosis } = error;
    assert.deepEqual([diagnosis.code, diagnosis.cause], [code, cause]);
    assert.match(diagnosis.message, message);
    for (const [key, value] of Object.entries(evidence)) assert.equal(evidenceOf(diagnosis, key), value, key);
    assert.ok(diagnosis.remedies.length > 0);
    assert.ok(!JSON.stringify(diagnosis).includes(secret));
  });
}

for (const { name, certificate, trusted, date, cause, message } of [
  {
    name: 'unknown authority',
    certificate: {},
    cause: 'R4',
    message: /authority that is not known here: O=Tiphys tests, CN=test host/,
  },
  {
    name: 'wrong name',
    certificate: { names: 'DNS:other.example' },
    trusted: true,
    cause: 'R4',
    message: /for other names: DNS:other\.example/,
  },
  {
    name: 'expired',
    certificate: { notBefore: '20230101000000Z', notAfter: '20240101000000Z' },
    trusted: true,
    cause: 'R4',
    message: /has expired \(2024-01-01/,
  },
  {
    name: 'not yet valid',
    certificate: { notBefore: '20900101000000Z', notAfter: '20910101000000Z' },
    trusted: true,
    cause: 'R4',
    message: /not valid yet \(not before 2090-01-01/,
  },
  {
    name: 'our clock is behind',
    certificate: { notBefore: '20900101000000Z', notAfter: '20910101000000Z' },
    trusted: true,
    date: 'Sun, 01 Jan 2090 00:10:00 GMT',
    cause: 'R5',
    message: /Our clock is \d+ h behind that of host 127\.0\.0\.1/,
  },
] as { name: string; certificate: object; trusted?: boolean; date?: string; cause: string; message: RegExp }[]) {
  test(`TLS, ${name}: ${cause}`, async () => {
    const tls = makeCertificate(join(folder, name.replaceAll(' ', '-')), certificate);
    const error = await served({ tls, ...(date ? { date } : {}) }, trusted ? { ca: tls.cert } : {});
    assert.ok(error instanceof DiagnosisError, String(error));
    assert.equal(error.diagnosis.cause, cause, error.message);
    assert.match(error.diagnosis.message, message);
    for (const key of ['issuer', 'subject', 'alternative names', 'not after'])
      assert.ok(evidenceOf(error.diagnosis, key), key);
    assert.ok(!error.diagnosis.remedies.some(({ text }) => /insecure|skip/i.test(text)));
  });
}

test('TLS works with the authority given, and without verification when asked', async () => {
  const tls = makeCertificate(join(folder, 'good'));
  assert.equal(await served({ tls }, { ca: tls.cert }), head);
  assert.equal(await served({ tls }, { insecure: true }), head);
});

test('an unreachable host is told apart: name, connection, silence', async () => {
  const name = await refusalOf(git.resolve({ url: 'https://nowhere.invalid/shop.git' }, 'main'));
  assert.equal(name.diagnosis.cause, 'R8');
  assert.match(name.diagnosis.message, /nowhere\.invalid cannot be resolved/);
  const server = await startGitServer(folder);
  await server.close();
  const closed = await refusalOf(git.resolve({ url: `${server.url}/shop` }, 'main'));
  assert.match(closed.diagnosis.message, /Nothing listens at 127\.0\.0\.1 port \d+/);
  assert.equal(closed.handling, 'retryable');
});

test('an unreachable URL with a password shows it nowhere (CVE-2023-25163)', async () => {
  const server = await startGitServer(folder);
  await server.close();
  const error = await refusalOf(git.resolve({ url: `${server.url.replace('//', `//u:${secret}@`)}/shop` }, 'main'));
  assert.ok(!JSON.stringify([error.diagnosis, error.message, error.stack]).includes(secret));
});

test('a host that is too slow is given up in time', async () => {
  const quick = new GitRepositories({
    cacheDir: join(folder, 'cache'),
    timeouts: { request: 300 },
    localRepositories: 'any',
  });
  const server = await startGitServer(folder, { latency: 60_000 });
  try {
    const error = await refusalOf(quick.resolve({ url: `${server.url}/shop` }, 'main'));
    assert.equal(error.diagnosis.cause, 'R8');
    assert.equal(error.handling, 'retryable');
  } finally {
    await server.close();
    await quick.close();
  }
});

test('no secret is ever among the arguments of a process', async () => {
  const server = await startGitServer(folder, { auth: { username: 'u', password: secret }, latency: 300 });
  const watched = new AbortController();
  const { readdirSync, readFileSync } = await import('node:fs');
  let looked = 0;
  const watch = (async () => {
    while (!watched.signal.aborted) {
      for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
        let line = '';
        try {
          line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          // It ended while it was looked at.
        }
        if (line.includes('ls-remote')) looked += 1;
        assert.ok(!line.includes(secret), line);
      }
      await systemClock.sleep(20);
    }
  })();
  await git.resolve({ url: `${server.url.replace('//', `//u:${secret}@`)}/shop` }, 'main');
  watched.abort();
  await watch;
  assert.ok(looked > 0);
  await server.close();
});

test('one look at the remote serves a thousand callers, and so does a failed one', async () => {
  const server = await startGitServer(folder, { auth: { username: 'u', password: 'p' } });
  const good = { url: `${server.url}/shop`, credentials: { username: 'u', password: 'p' } };
  await Promise.all(Array.from({ length: 1000 }, () => git.resolve(good, 'main')));
  const before = server.requests.length;
  assert.ok(before <= 4, `${before} requests`);
  const bad = { url: `${server.url}/shop`, credentials: { username: 'u', password: 'x' } };
  await Promise.allSettled(Array.from({ length: 1000 }, () => git.resolve(bad, 'main')));
  await Promise.allSettled([git.resolve(bad, 'main')]);
  assert.ok(server.requests.length - before <= 5, `${server.requests.length - before} requests`);
  await server.close();
});

test('who cannot see a repository cannot read what another fetched from it', async () => {
  const server = await startGitServer(folder, { auth: { username: 'u', password: 'p' } });
  await git.open({ url: `${server.url}/shop`, credentials: { username: 'u', password: 'p' } }, head);
  const error = await refusalOf(git.open({ url: `${server.url}/shop` }, head));
  assert.equal(error.diagnosis.cause, 'R1');
  await server.close();
});
