import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { writeArchive } from '@tiphys/registry';
import {
  type HelmRepositoryServer,
  makeSigner,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { helmCommand } from './helm-command.ts';

interface Shell {
  readonly folder: string;
  readonly repository: HelmRepositoryServer;
  readonly registry: OciRegistryServer;
  write(path: string, data: string | Uint8Array): void;
  /** Runs a command; its output and errors. */
  run(...args: string[]): Promise<{ code: number; out: string; error: string }>;
  /** Runs a command that must end well; its output. */
  ok(...args: string[]): Promise<string>;
  /** Runs a command that must fail; the line of its error. */
  fails(...args: string[]): Promise<string>;
}

const secret = 'MARKER-secret';
const user = { username: 'robot', password: secret };

async function withShell(body: (shell: Shell) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-helm-'));
  const repository = await startHelmRepository();
  const registry = await startOciRegistry({ auth: { kind: 'bearer', ...user } });
  for (const version of ['1.0.0', '1.2.0', '2.0.0-rc.1']) {
    repository.add('web', version, packageChart('web', version));
    registry.pushChart('charts/web', version, packageChart('web', version));
  }
  const shell: Shell = {
    folder,
    repository,
    registry,
    write(path, data) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), data);
    },
    async run(...args) {
      let [out, error] = ['', ''];
      const code = await helmCommand(args, {
        out: (text) => {
          out += text;
        },
        error: (text) => {
          error += text;
        },
        workdir: folder,
        env: { HOME: join(folder, 'home') },
      });
      assert.ok(!`${out}${error}`.includes(secret), 'a secret is told');
      return { code, out, error };
    },
    async ok(...args) {
      const { code, out, error } = await shell.run(...args);
      assert.equal(code, 0, error);
      return out;
    },
    async fails(...args) {
      const { code, error } = await shell.run(...args);
      assert.equal(code, 1, error);
      return /^Error: (.*)$/m.exec(error)?.[1] ?? error;
    },
  };
  try {
    await body(shell);
  } finally {
    await repository.close();
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const app = (dependencies: string): string =>
  `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n${dependencies}`;

test('charts are rendered from a repository, a URL, and a repository added by name', () =>
  withShell(async ({ repository, ok, fails }) => {
    assert.match(await ok('template', 'x', 'web', '--repo', repository.url, '--version', '~1.0'), /version: "1.0.0"/);
    assert.match(await ok('template', 'x', 'web', '--repo', repository.url, '--devel'), /version: "2.0.0-rc.1"/);
    assert.match(await ok('template', 'x', `${repository.url}/web-1.0.0.tgz`), /name: x-web/);
    assert.equal(await fails('template', 'x', 'mine/web'), 'repo mine not found');
    assert.equal(await ok('repo', 'add', 'mine', repository.url), '"mine" has been added to your repositories\n');
    assert.match(await ok('template', 'x', 'mine/web'), /version: "1.2.0"/);
    assert.match(
      await fails('template', 'x', 'mine/web', '--version', '^3'),
      /^chart "web" matching \^3 not found in mine index/,
    );
  }));

test('a chart that was fetched once is rendered again from the cache, without asking for the package', () =>
  withShell(async ({ repository, ok }) => {
    await ok('template', 'x', 'web', '--repo', repository.url);
    await ok('template', 'x', 'web', '--repo', repository.url);
    assert.equal(repository.requests.filter(({ url }) => url.endsWith('.tgz')).length, 1);
  }));

test('a package that is not what the index says is refused', () =>
  withShell(async ({ repository, fails }) => {
    repository.behaviour.answers = { '/web-1.2.0.tgz': { body: packageChart('web', '6.6.6') } };
    assert.match(await fails('template', 'x', 'web', '--repo', repository.url), /does not match the index/);
  }));

test('a registry is read with the credentials of flags, and with those of a login until the logout', () =>
  withShell(async ({ registry, folder, ok, fails, run }) => {
    const chart = `oci://${registry.host}/charts/web`;
    assert.match(await fails('template', 'x', chart, '--plain-http'), /response status code 401/);
    const { code, out, error } = await run(
      'template',
      'x',
      chart,
      '--plain-http',
      '--username',
      'robot',
      '--password',
      secret,
    );
    assert.equal(code, 0, error);
    assert.match(out, /version: "1.2.0"/);
    assert.match(error, /^Pulled: .*\/charts\/web:1\.2\.0\nDigest: sha256:[0-9a-f]{64}\n$/);
    await ok('registry', 'login', registry.host, '-u', 'robot', '-p', secret, '--plain-http');
    const stored = lstatSync(join(folder, 'home/.config/helm/registry/config.json'));
    assert.equal(stored.mode & 0o077, 0, 'others may not read the credentials');
    assert.match(await ok('template', 'x', `${chart}:1.0.0`, '--plain-http'), /version: "1.0.0"/);
    await ok('registry', 'logout', registry.host);
    await fails('template', 'x', `${chart}:1.0.0`, '--plain-http');
  }));

test('--verify takes only what a known key signed', () =>
  withShell(async ({ repository, write, ok, fails }) => {
    const signer = await makeSigner();
    write('ring.gpg', signer.publicKey);
    const archive = packageChart('signed', '1.0.0');
    repository.add('signed', '1.0.0', archive, Buffer.from(await signer.sign(archive, 'signed-1.0.0.tgz')));
    await ok('template', 'x', 'signed', '--repo', repository.url, '--verify', '--keyring', 'ring.gpg');
    assert.match(
      await ok('pull', 'signed', '--repo', repository.url, '--verify', '--keyring', 'ring.gpg'),
      /Signed by: Tests <tests@example.com>/,
    );
    await ok('template', 'x', 'signed-1.0.0.tgz', '--verify', '--keyring', 'ring.gpg');
    assert.match(
      await fails('template', 'x', 'web', '--repo', repository.url, '--verify', '--keyring', 'ring.gpg'),
      /^failed to fetch provenance/,
    );
  }));

test('dependencies are locked, built from the lock, and found out of date', () =>
  withShell(async ({ folder, repository, write, ok, fails }) => {
    write('app/Chart.yaml', app(`- {name: web, version: ^1, repository: "${repository.url}"}\n`));
    write('app/charts/web-0.9.0.tgz', packageChart('web', '0.9.0'));
    assert.match(await ok('dependency', 'update', 'app'), /Saving 1 charts\nDownloading web from repo/);
    assert.deepEqual(readdirSync(join(folder, 'app/charts')), ['web-1.2.0.tgz']);
    assert.match(readFileSync(join(folder, 'app/Chart.lock'), 'utf8'), /version: 1\.2\.0\ndigest: sha256:/);
    repository.add('web', '1.9.0', packageChart('web', '1.9.0'));
    await ok('repo', 'add', 'mine', repository.url);
    rmSync(join(folder, 'app/charts'), { recursive: true });
    await ok('dependency', 'build', 'app');
    assert.deepEqual(readdirSync(join(folder, 'app/charts')), ['web-1.2.0.tgz']);
    assert.match(await ok('dependency', 'list', 'app'), /web\s+\^1\s+http\S+\s+ok/);
    write('app/Chart.yaml', app(`- {name: web, version: ~1.0, repository: "${repository.url}"}\n`));
    assert.match(await fails('dependency', 'build', 'app'), /^the lock file \(Chart.lock\) is out of sync/);
    assert.match(await ok('template', 'x', 'app', '--dependency-update'), /./);
  }));

test('dependencies of folders, aliases and registries', () =>
  withShell(async ({ folder, repository, registry, write, ok }) => {
    write('lib/Chart.yaml', 'apiVersion: v2\nname: lib\nversion: 0.3.0\n');
    write('lib/.helmignore', 'junk\n');
    write('lib/junk', 'x');
    const registryUrl = `oci://${registry.host}/charts`;
    write(
      'app/Chart.yaml',
      app(
        `- {name: web, version: 1.0.x, repository: "@mine"}\n- {name: lib, version: 0.x, repository: "file://../lib"}\n- {name: web, alias: other, version: ^1.1, repository: "${registryUrl}"}\n`,
      ),
    );
    await ok('repo', 'add', 'mine', repository.url);
    await ok('dependency', 'update', 'app', '--plain-http', '--username', 'robot', '--password', secret);
    assert.deepEqual(readdirSync(join(folder, 'app/charts')).sort(), [
      'lib-0.3.0.tgz',
      'web-1.0.0.tgz',
      'web-1.2.0.tgz',
    ]);
  }));

test('CVE-2025-53547: a lock file that is a link is not written through', () =>
  withShell(async ({ folder, repository, write, fails }) => {
    write('app/Chart.yaml', app(`- {name: web, version: ^1, repository: "${repository.url}"}\n`));
    write('victim', 'unharmed');
    symlinkSync('../victim', join(folder, 'app/Chart.lock'));
    await fails('dependency', 'update', 'app');
    assert.equal(readFileSync(join(folder, 'victim'), 'utf8'), 'unharmed');
  }));

test('CVE-2019-1000008, CVE-2024-25620: packages and names that lead elsewhere put nothing there', () =>
  withShell(async ({ folder, repository, write, fails, run }) => {
    const hostile = (name: string): Buffer =>
      writeArchive([
        { name: 'evil/Chart.yaml', data: Buffer.from('apiVersion: v2\nname: evil\nversion: 1.0.0\n') },
        { name, data: Buffer.from('harm') },
      ]);
    for (const [index, name] of ['evil/../../harm', 'evil//abs/harm', '../harm', 'evil/..\\..\\harm'].entries()) {
      const version = `1.0.${index}`;
      repository.add('evil', version, hostile(name));
      await run('pull', 'evil', '--repo', repository.url, '--version', version, '--untar', '--untardir', `u${index}`);
      assert.ok(!existsSync(join(folder, 'harm')) && !existsSync(join(dirname(folder), 'harm')), name);
    }
    const named = writeArchive([
      { name: 'x/Chart.yaml', data: Buffer.from('apiVersion: v2\nname: ../x\nversion: 1.0.0\n') },
    ]);
    repository.add('named', '1.0.0', named);
    assert.match(
      await fails('template', 'x', 'named', '--repo', repository.url),
      /chart.metadata.name "..\/x" is invalid/,
    );
    write('app/Chart.yaml', app(`- {name: ../../x, version: ^1, repository: "${repository.url}"}\n`));
    assert.match(await fails('dependency', 'update', 'app'), /dependency name "..\/..\/x" is not allowed/);
  }));

test('CVE-2025-32386: a package that grows without end is cut', () =>
  withShell(async ({ repository, fails }) => {
    const bomb = writeArchive([
      { name: 'bomb/Chart.yaml', data: Buffer.from('apiVersion: v2\nname: bomb\nversion: 1.0.0\n') },
      { name: 'bomb/zeros', data: Buffer.alloc(150 << 20) },
    ]);
    repository.add('bomb', '1.0.0', bomb);
    assert.match(
      await fails('template', 'x', 'bomb', '--repo', repository.url),
      /larger than the maximum size|more than \d+ bytes/,
    );
  }));

test('repositories are listed, updated and removed', () =>
  withShell(async ({ repository, ok, fails }) => {
    assert.match(await fails('repo', 'update'), /no repositories found/);
    await ok('repo', 'add', 'mine', repository.url);
    assert.equal(
      await ok('repo', 'add', 'mine', repository.url),
      '"mine" already exists with the same configuration, skipping\n',
    );
    assert.match(
      await fails('repo', 'add', 'mine', 'http://127.0.0.1:1'),
      /already exists, please specify a different name/,
    );
    assert.equal(await ok('repo', 'list', '-o', 'json'), `[{"name":"mine","url":"${repository.url}"}]\n`);
    assert.match(await ok('repo', 'update'), /Successfully got an update from the "mine" chart repository/);
    assert.equal(await ok('repo', 'remove', 'mine'), '"mine" has been removed from your repositories\n');
    assert.match(await fails('repo', 'remove', 'mine'), /no repositories configured/);
  }));

test('an index is made of the packages of a folder', () =>
  withShell(async ({ folder, write, ok }) => {
    for (const version of ['1.0.0', '1.10.0', '1.9.0']) write(`p/web-${version}.tgz`, packageChart('web', version));
    await ok('repo', 'index', 'p', '--url', 'https://example.com/charts');
    const text = readFileSync(join(folder, 'p/index.yaml'), 'utf8');
    assert.deepEqual(
      [...text.matchAll(/^ {4}version: (.*)$/gm)].map(([, version]) => version),
      ['1.10.0', '1.9.0', '1.0.0'],
    );
    assert.match(text, /- https:\/\/example.com\/charts\/web-1.10.0.tgz/);
  }));
