import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import { readCredentials } from '../repository/credentials.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-tokens-'));
const head = new TestRepository(join(folder, 'shop')).commit({ a: '1' });
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Token endpoints of Google and Microsoft; their clock differs from ours by `skew` milliseconds. */
const service = {
  skew: 0,
  asked: [] as { path: string; form: URLSearchParams }[],
  refuse: undefined as object | undefined,
};
const api = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('utf8');
  });
  request.on('end', () => {
    const now = Date.now() + service.skew;
    const form = new URLSearchParams(body);
    service.asked.push({ path: request.url ?? '', form });
    const reply = (status: number, value: object) => {
      response.writeHead(status, { date: new Date(now).toUTCString(), 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (service.refuse) return reply(400, service.refuse);
    const assertion = form.get('assertion');
    if (assertion) {
      const [head64, claims64 = '', signature = ''] = assertion.split('.');
      assert.ok(verify('sha256', Buffer.from(`${head64}.${claims64}`), publicKey, Buffer.from(signature, 'base64url')));
      const { iat, exp } = JSON.parse(Buffer.from(claims64, 'base64url').toString()) as { iat: number; exp: number };
      if (iat > now / 1000 || exp <= now / 1000)
        return reply(400, { error: 'invalid_grant', error_description: 'Token must be a short-lived token' });
    }
    reply(200, { access_token: 'short-lived', expires_in: 3600, token_type: 'Bearer' });
  });
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
const google = await startGitServer(folder, { auth: { username: 'bot@p.iam', password: 'short-lived' } });
const azure = await startGitServer(folder, { bearer: 'short-lived' });

after(async () => {
  await google.close();
  await azure.close();
  api.closeAllConnections();
  api.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  Object.assign(service, { skew: 0, asked: [], refuse: undefined });
  for (const name of ['AZURE_CLIENT_ID', 'AZURE_TENANT_ID', 'AZURE_FEDERATED_TOKEN_FILE', 'AZURE_AUTHORITY_HOST'])
    delete process.env[name];
});

async function read(url: string, settings: Record<string, string>): Promise<{ commit: string; notices: string[] }> {
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  try {
    const repository = { url: `${url}/shop`, credentials: readCredentials(settings, { from: 'shop-secret' }) };
    const { commit } = await git.resolve(repository, 'main');
    await git.resolve(repository, 'main', { maxAge: 0 });
    return { commit, notices: git.notices(repository).map(({ message }) => message) };
  } finally {
    await git.close();
  }
}

const key = JSON.stringify({
  type: 'service_account',
  client_email: 'bot@p.iam',
  private_key_id: 'k1',
  private_key: pem,
  token_uri: `${endpoint}/google`,
});

test('a key of a Google service account reads repositories, whatever our clock says', async () => {
  for (const skew of [0, 7_200_000, -7_200_000]) {
    Object.assign(service, { skew, asked: [] });
    const { commit, notices } = await read(google.url, { gcpServiceAccountKey: key });
    assert.equal(commit, head);
    assert.equal(notices.length, skew === 0 ? 0 : 1);
    if (skew !== 0) assert.match(notices[0] ?? '', /is 7(200|199|201) s (behind|ahead of) that of 127\.0\.0\.1:/);
    assert.ok(service.asked.length <= 2, 'one token serves, and one more request where the clock had to be learnt');
  }
});

test('a service principal of Azure reads repositories with a bearer token', async () => {
  const { commit } = await read(azure.url, {
    azureServicePrincipalTenantId: 'tenant',
    azureServicePrincipalClientId: 'client',
    azureServicePrincipalClientSecret: 'MARKER',
    azureActiveDirectoryEndpoint: endpoint,
  });
  assert.equal(commit, head);
  const [asked] = service.asked;
  assert.equal(asked?.path, '/tenant/oauth2/v2.0/token');
  assert.deepEqual(Object.fromEntries(asked?.form ?? []), {
    grant_type: 'client_credentials',
    scope: '499b84ac-1321-427f-aa17-267ca6975798/.default',
    client_id: 'client',
    client_secret: 'MARKER',
  });
});

test('the workload identity of the pod reads repositories of Azure', async () => {
  const file = join(folder, 'federated');
  writeFileSync(file, 'projected-token\n');
  Object.assign(process.env, {
    AZURE_CLIENT_ID: 'client',
    AZURE_TENANT_ID: 'tenant',
    AZURE_FEDERATED_TOKEN_FILE: file,
    AZURE_AUTHORITY_HOST: `${endpoint}/`,
  });
  assert.equal((await read(azure.url, { useAzureWorkloadIdentity: 'true' })).commit, head);
  assert.equal(service.asked[0]?.form.get('client_assertion'), 'projected-token');
});

for (const { name, settings, refuse, message } of [
  {
    name: 'a refusal says what the service said',
    settings: {
      azureServicePrincipalTenantId: 't',
      azureServicePrincipalClientId: 'c',
      azureServicePrincipalClientSecret: 'MARKER',
      azureActiveDirectoryEndpoint: endpoint,
    },
    refuse: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret' },
    message: /^Microsoft Entra gave no token \(400: AADSTS7000215: Invalid client secret\)/,
  },
  { name: 'a Google key that is no JSON', settings: { gcpServiceAccountKey: 'MARKER' }, message: /is not JSON/ },
  {
    name: 'a Google key of another kind',
    settings: { gcpServiceAccountKey: '{"type":"external_account","x":"MARKER"}' },
    message: /only keys of service accounts and users are supported/,
  },
  {
    name: 'a Google key that would be sent in the clear',
    settings: { gcpServiceAccountKey: key.replace('127.0.0.1', 'oauth.test') },
    message: /not an https URL/,
  },
  {
    name: 'a workload identity where there is none',
    settings: { useAzureWorkloadIdentity: 'true' },
    message: /this process has no workload identity/,
  },
])
  test(name, async () => {
    service.refuse = refuse;
    await assert.rejects(read(azure.url, settings as Record<string, string>), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError, String(error));
      assert.match(error.diagnosis.message, message);
      assert.ok(!JSON.stringify(error.diagnosis).includes('MARKER'));
      return true;
    });
  });
