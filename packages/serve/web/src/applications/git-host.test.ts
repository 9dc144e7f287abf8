import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostPages } from './git-host.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';

test('hostPages() knows the pages of hosts by every form of address', () => {
  const cases: [string, string | undefined, string?, string?][] = [
    [
      'https://github.com/acme/shop.git',
      'https://github.com/acme/shop',
      `https://github.com/acme/shop/commit/${sha}`,
      `https://github.com/acme/shop/tree/${sha}/deploy/a%20b#L3`,
    ],
    [
      'git@github.example.com:acme/shop.git',
      'https://github.example.com/acme/shop',
      `https://github.example.com/acme/shop/commit/${sha}`,
      `https://github.example.com/acme/shop/tree/${sha}/deploy/a%20b#L3`,
    ],
    [
      'https://robot:word@gitlab.example.com:8443/team/sub/shop/',
      'https://gitlab.example.com:8443/team/sub/shop',
      `https://gitlab.example.com:8443/team/sub/shop/-/commit/${sha}`,
      `https://gitlab.example.com:8443/team/sub/shop/-/tree/${sha}/deploy/a%20b#L3`,
    ],
    [
      'ssh://git@bitbucket.example.com:7999/pay/shop.git',
      'https://bitbucket.example.com/projects/pay/repos/shop',
      `https://bitbucket.example.com/projects/pay/repos/shop/commits/${sha}`,
      `https://bitbucket.example.com/projects/pay/repos/shop/browse/deploy/a%20b?at=${sha}#3`,
    ],
    [
      'https://git.example.com/scm/~ada/shop.git',
      'https://git.example.com/users/ada/repos/shop',
      `https://git.example.com/users/ada/repos/shop/commits/${sha}`,
      `https://git.example.com/users/ada/repos/shop/browse/deploy/a%20b?at=${sha}#3`,
    ],
    [
      'https://bitbucket.org/acme/shop',
      'https://bitbucket.org/acme/shop',
      `https://bitbucket.org/acme/shop/commits/${sha}`,
      `https://bitbucket.org/acme/shop/src/${sha}/deploy/a%20b#lines-3`,
    ],
    [
      'git@ssh.dev.azure.com:v3/acme/Team/shop',
      'https://dev.azure.com/acme/Team/_git/shop',
      `https://dev.azure.com/acme/Team/_git/shop/commit/${sha}`,
      `https://dev.azure.com/acme/Team/_git/shop?path=/deploy/a%20b&version=GC${sha}&line=3`,
    ],
    [
      'https://codeberg.org/acme/shop.git',
      'https://codeberg.org/acme/shop',
      `https://codeberg.org/acme/shop/commit/${sha}`,
      `https://codeberg.org/acme/shop/src/commit/${sha}/deploy/a%20b#L3`,
    ],
    ['https://git.example.com/acme/shop.git', undefined],
    ['oci://ghcr.io/acme/charts', undefined],
    ['file:///srv/git/shop', undefined],
    ['javascript:alert(1)//github.com/a', undefined],
    ['/srv/git/shop', undefined],
    ['', undefined],
  ];
  for (const [address, repository, commit, file] of cases) {
    const pages = hostPages(address);
    assert.equal(pages?.repository, repository, address);
    assert.equal(pages?.revision(sha), commit, address);
    assert.equal(pages?.file(sha, './deploy/a b', 3), file, address);
  }
});

test('hostPages() leads to what a branch has, and to the whole of it for its root', () => {
  const pages = hostPages('https://github.com/acme/shop');
  assert.equal(pages?.revision('release/1'), 'https://github.com/acme/shop/tree/release/1');
  assert.equal(pages?.revision(''), 'https://github.com/acme/shop/tree/HEAD');
  assert.equal(pages?.file('main', '.'), 'https://github.com/acme/shop/tree/main');
});
