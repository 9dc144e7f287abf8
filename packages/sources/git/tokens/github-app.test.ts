import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const folder = mkdtempSync(join(tmpdir(), 'tiphys-app-'));
const origin = new TestRepository(join(folder, 'org', 'shop'));
const head = origin.commit({ a: '1' });
const host = await startGitServer(folder, { auth: { username: 'x-access-token', password: 'token-of-7' } });

/** GitHub's API as far as Apps need it; its clock differs from ours by `skew` milliseconds. */
const github = {
  skew: 0,
  installed: true,
  hidden: false,
  asked: [] as string[],
  answer: undefined as { status: number; headers: Record<string, string> } | undefined,
};
const api = createServer((request, response) => {
  const now = Date.now() + github.skew;
  github.asked.push(`${request.method} ${request.url}`);
  const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    response.writeHead(status, { date: new Date(now).toUTCString(), 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  if (github.answer) return reply(github.answer.status, { message: 'no' }, github.answer.headers);
  const [head64 = '', claims64 = '', signature = ''] = (request.headers.authorization ?? '')
    .slice('Bearer '.length)
    .split('.');
  const claims = JSON.parse(Buffer.from(claims64, 'base64url').toString()) as { iat: number; exp: number; iss: string };
  assert.ok(verify('sha256', Buffer.from(`${head64}.${claims64}`), publicKey, Buffer.from(signature, 'base64url')));
  const seconds = now / 1000;
  if (claims.exp <= seconds)
    return reply(401, {
      message:
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    });
  if (claims.iat > seconds || claims.exp - seconds > 600)
    return reply(401, {
      message: "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    });
  assert.equal(claims.iss, '42');
  if (!github.installed) return reply(404, { message: 'Not Found' });
  if (github.hidden && request.url?.startsWith('/repos/')) return reply(404, { message: 'Not Found' });
  if (/^\/(repos\/org\/shop|orgs\/org)\/installation$/.test(request.url ?? '')) return reply(200, { id: 7 });
  return reply(201, { token: 'token-of-7', expires_at: new Date(now + 3600_000).toISOString() });
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

after(async () => {
  await host.close();
  api.close();
  api.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function using(skew: number, work: (git: GitRepositories) => Promise<void>): Promise<void> {
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  Object.assign(github, { skew, installed: true, hidden: false, asked: [], answer: undefined });
  try {
    await work(git);
  } finally {
    await git.close();
  }
}

const other = new TestRepository(join(folder, 'org', 'cart')).commit({ b: '1' });
const beside = { url: `${host.url}/org/cart`, credentials: { githubApp: { id: 42, privateKey: pem, baseUrl } } };
const repository = { url: `${host.url}/org/shop`, credentials: { githubApp: { id: 42, privateKey: pem, baseUrl } } };

for (const skew of [0, 600_000, -600_000, 86_400_000]) {
  test(`a clock that is ${skew / 1000} s behind the host's does not lock us out`, async () => {
    await using(skew, async (git) => {
      assert.equal((await git.resolve(repository, 'main')).commit, head);
      assert.equal((await git.resolve(repository, 'main', { maxAge: 0 })).commit, head);
      assert.equal((await git.resolve(beside, 'main')).commit, other, 'another repository of the owner');
      const tokens = github.asked.filter((line) => line.includes('access_tokens'));
      assert.equal(tokens.length, 1, 'the token is kept, and shared');
      const [notice] = git.notices(repository);
      if (skew === 0) assert.equal(notice, undefined);
      else {
        const said = notice?.message ?? '';
        const seconds = Number(/ is (\d+) s /.exec(said)?.[1]);
        assert.match(said, new RegExp(`^The clock of node \\S+ is .* ${skew > 0 ? 'behind' : 'ahead of'} that of 127`));
        assert.ok(Math.abs(seconds - Math.abs(skew) / 1000) <= 2, said);
        assert.equal(notice?.cause, 'R5');
      }
    });
  });
}

for (const { name, set, cause, message } of [
  {
    name: 'an App that is not installed',
    set: () => Object.assign(github, { installed: false }),
    cause: 'R7',
    message: /GitHub App 42 is not installed there \(repository org\/shop\)/,
  },
  {
    name: 'a rate limit',
    set: () => Object.assign(github, { answer: { status: 403, headers: { 'x-ratelimit-remaining': '0' } } }),
    cause: 'R6',
    message: /limits the token requests/,
  },
  {
    name: 'a refused key',
    set: () => Object.assign(github, { answer: { status: 401, headers: {} } }),
    cause: 'R7',
    message: /does not accept the key of App 42: no$/,
  },
]) {
  test(`${name} is ${cause}`, async () => {
    await using(0, async (git) => {
      set();
      await assert.rejects(git.resolve(repository, 'main'), (error: unknown) => {
        assert.ok(error instanceof DiagnosisError);
        assert.equal(error.diagnosis.cause, cause);
        assert.match(error.diagnosis.message, message);
        assert.ok(!JSON.stringify(error.diagnosis).includes('PRIVATE KEY'));
        return true;
      });
    });
  });
}

test('the installation of the owner serves a repository that the App does not see yet', async () => {
  await using(0, async (git) => {
    github.hidden = true;
    assert.equal((await git.resolve(repository, 'main')).commit, head);
    assert.ok(github.asked.includes('GET /orgs/org/installation'));
  });
});

test('a key that is no key is refused before anything is sent', async () => {
  await using(0, async (git) => {
    const broken = {
      ...repository,
      credentials: { githubApp: { id: 42, privateKey: 'MARKER', installationId: 7, baseUrl } },
    };
    await assert.rejects(
      git.resolve(broken, 'main'),
      (error: unknown) =>
        error instanceof DiagnosisError &&
        error.diagnosis.code === 'InvalidRepositoryCredentials' &&
        !error.message.includes('MARKER'),
    );
    assert.deepEqual(github.asked, []);
  });
});
