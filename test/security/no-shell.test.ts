import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GitRepositories } from '@tiphys/git';
import { systemClock } from '@tiphys/kubernetes';
import { checkPrograms } from '../../scripts/checks/check-programs.ts';
import { TestRepository } from '../e2e/support/repository.ts';

/** Folder whose file `ran` says that a shell read what it was given. */
const folder = mkdtempSync(join(tmpdir(), 'tiphys-shell-'));
const ran = join(folder, 'ran');
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a shell, git or ssh would read as more than text. */
const hostile = [
  `$(touch ${ran})`,
  `\`touch ${ran}\``,
  `; touch ${ran};`,
  `| touch ${ran}`,
  `&& touch ${ran} #`,
  `'; touch ${ran}; '`,
  `"; touch ${ran}; "`,
  `x\ntouch ${ran}\n`,
  `--upload-pack=touch ${ran}`,
  `-oProxyCommand=touch ${ran}`,
  `--output=${ran}`,
  `--exec=touch ${ran}`,
  `-c core.sshCommand=touch ${ran}`,
  `ext::sh -c "touch ${ran}"`,
  `%(trailers)$(touch ${ran})`,
];

test('no package gives text to a shell, or starts a program that is not on the list (CVE-2021-41254, CVE-2026-55797)', () => {
  assert.deepEqual(checkPrograms(), []);
});

describe('Texts that a shell would run', () => {
  const repository = new TestRepository({ 'a.yaml': 'kind: ConfigMap' });
  let git: GitRepositories;
  before(() => {
    mkdirSync(join(folder, 'cache'));
    git = new GitRepositories({
      cacheDir: join(folder, 'cache'),
      clock: systemClock,
      localRepositories: { below: [repository.url], except: [] },
    });
  });
  after(async () => {
    await git.close();
    repository.remove();
  });

  /** Neither the outcome matters nor how it is refused. */
  const attempt = async (what: string, body: () => Promise<unknown>) => {
    await body().catch(() => undefined);
    assert.ok(!existsSync(ran), what);
  };

  test('are text as revisions, branches and paths', async () => {
    const { commit } = await git.resolve({ url: repository.url }, 'main');
    const tree = await git.open({ url: repository.url }, commit);
    for (const text of hostile) {
      await attempt(`revision ${text}`, () => git.resolve({ url: repository.url }, text));
      await attempt(`commit ${text}`, () => git.open({ url: repository.url }, text));
      await attempt(`path ${text}`, async () => await tree.read(text));
    }
  });

  test('are text as URLs, hosts, users and paths of repositories', async () => {
    for (const text of hostile)
      for (const url of [
        text,
        `https://127.0.0.1:1/${text}`,
        `ssh://git@127.0.0.1:1/${text}`,
        `ssh://${text}@127.0.0.1:1/x`,
        `ssh://${text}/x`,
        `git@${text}:x`,
        `file://${text}`,
      ])
        await attempt(`URL ${url}`, () => git.resolve({ url }, 'HEAD'));
  });

  test('are text in credentials and proxies', async () => {
    for (const text of hostile)
      for (const credentials of [
        { username: text, password: text },
        { bearerToken: text },
        { sshPrivateKey: text, knownHosts: text },
        { proxy: `socks5://127.0.0.1:1/${text}` },
        { proxy: `http://${text}@127.0.0.1:1` },
        { proxy: `http://${text}:1`, noProxy: text },
        { ca: text, tlsClientCertData: text, tlsClientCertKey: text },
      ])
        for (const url of ['ssh://git@127.0.0.1:1/x', 'https://127.0.0.1:1/x'])
          await attempt(JSON.stringify(credentials), () => git.resolve({ url, credentials }, 'HEAD'));
  });
});
