import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { checkProxy } from '../connect/git-environment.ts';
import { readCredentials } from './credentials.ts';
import { normalizeRepositoryUrl, parseRepositoryUrl } from './repository-url.ts';

// CVE-2020-5260, CVE-2026-55797, CVE-2025-47933 and their like.
for (const url of [
  '',
  'https://evil.test?%0ahost=github.com',
  'https://evil.test/%0Ahost=github.com/x',
  'https://evil.test/\nhost=github.com',
  'https://evil.test/x%00y',
  'ext::sh -c "touch /tmp/pwn"',
  'fd::17',
  '--upload-pack=touch /tmp/pwn',
  '-oProxyCommand=touch@host:path',
  'ssh://-oProxyCommand=touch/x',
  'ssh://user@-oProxyCommand=touch/x',
  'git@-oProxyCommand=x:path',
  'git@host:-path',
  'ssh://git@host/-path',
  'ssh://git@ho$(touch)st/x',
  'git@host`touch`:x',
  "gi';touch /tmp/pwn;'t@host:x",
  'javascript:alert(1)',
  'data://text/x',
  'ftp://host/x',
  'relative/path',
  'file://otherhost/path',
  'https:///nohost',
  `https://h/${'x'.repeat(3000)}`,
]) {
  test(`the URL ${JSON.stringify(url).slice(0, 60)} is refused`, () => {
    assert.throws(
      () => parseRepositoryUrl(url),
      (error: unknown) => error instanceof DiagnosisError && error.diagnosis.code === 'InvalidRepositoryUrl',
    );
  });
}

test('every transport is recognised, and credentials are taken out of what git is given', () => {
  for (const [url, transport, remote, host] of [
    ['https://u:p@h.example/a/b.git', 'https', 'https://h.example/a/b.git', 'h.example'],
    ['http://h:8080/a', 'http', 'http://h:8080/a', 'h'],
    ['ssh://git@h:2222/a', 'ssh', 'ssh://git@h:2222/a', 'h'],
    ['git@h.example:a/b.git', 'ssh', 'git@h.example:a/b.git', 'h.example'],
    ['file:///srv/a%20b', 'local', '/srv/a b', ''],
    ['/srv/x/../a', 'local', '/srv/a', ''],
  ] as const) {
    const parsed = parseRepositoryUrl(url);
    assert.deepEqual([parsed.transport, parsed.remote, parsed.host], [transport, remote, host]);
    assert.ok(!parsed.display.includes('u:p'));
  }
});

test('two spellings of a repository are the same', () => {
  assert.equal(
    normalizeRepositoryUrl('git@GitHub.com:Org/Repo.git'),
    normalizeRepositoryUrl('ssh://git@github.com/org/repo'),
  );
  assert.equal(normalizeRepositoryUrl('https://h/A.git'), normalizeRepositoryUrl('https://H/a'));
});

for (const proxy of [
  "socks5://x';touch /tmp/pwn;'@h:1080",
  'socks5://$(touch)@h:1',
  'http://h`x`:1',
  'http://h:1\nx',
  'file:///x',
  'h:1080',
  'http://h:1/path',
]) {
  test(`the proxy ${JSON.stringify(proxy)} is refused`, () => {
    assert.throws(
      () => checkProxy(proxy),
      (error: unknown) => error instanceof DiagnosisError && !error.message.includes('touch'),
    );
  });
}

test('what a Secret says is honoured or refused by the name of the field', () => {
  assert.deepEqual(
    readCredentials(
      { url: 'x', username: 'u', password: 'p', insecure: 'true', depth: '1', enableLfs: 'false' },
      { from: 's' },
    ),
    { username: 'u', password: 'p', insecure: true, depth: 1, from: 's' },
  );
  assert.deepEqual(
    readCredentials({ githubAppID: '7', githubAppInstallationID: '9', githubAppPrivateKey: 'k' }).githubApp,
    { id: 7, installationId: 9, privateKey: 'k' },
  );
  assert.throws(() => readCredentials({ type: 'oci', useAzureWorkloadIdentity: 'true' }), /supported for git alone/);
  for (const key of ['azureServicePrincipalClientId', 'depth', 'githubAppID']) {
    const settings = {
      [key]: key === 'depth' ? '-1' : 'true',
      ...(key === 'githubAppID' ? { githubAppPrivateKey: 'k' } : {}),
    };
    assert.throws(
      () => readCredentials(settings),
      (error: unknown) => error instanceof DiagnosisError && error.diagnosis.place?.field === key,
    );
  }
});
