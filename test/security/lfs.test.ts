import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories, type GitTree } from '@tiphys/git';
import { startGitServer, TestRepository } from '@tiphys/git/testing';
import { lfsUrl } from '../../packages/sources/git/tree/lfs-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-lfs-attacks-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
const closing: (() => unknown)[] = [];
after(async () => {
  await git.close();
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

const attributes = 'a.yaml filter=lfs diff=lfs merge=lfs -text\n';
const digest = (content: string) => createHash('sha256').update(content).digest('hex');
const pointer = (oid: string, size: number | string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;

async function read(tree: GitTree, path: string): Promise<string> {
  const entry = await tree.resolve(path);
  assert.ok(entry);
  return Buffer.from(await tree.read(entry.path)).toString('utf8');
}

async function refused(reading: Promise<unknown>, what: string, why: RegExp): Promise<void> {
  await assert.rejects(reading, (error: unknown) => {
    assert.ok(error instanceof DiagnosisError, `${what}: ${String(error)}`);
    assert.match(`${error.diagnosis.code} ${error.message}`, why, what);
    assert.doesNotMatch(JSON.stringify(error.diagnosis), /MARKER|TypeError|RangeError|SyntaxError/, what);
    return true;
  });
}

describe('Files of Git LFS', () => {
  test('of another repository are not had by who names their hash', async () => {
    const content = 'kind: Secret # MARKER\n';
    const oid = digest(content);
    const theirs = new TestRepository(join(folder, 'theirs'));
    const commit = theirs.commit({ '.gitattributes': attributes, 'a.yaml': pointer(oid, content.length) });
    const objects = join(theirs.path, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4));
    mkdirSync(objects, { recursive: true });
    writeFileSync(join(objects, oid), content);
    assert.equal(
      await read(await git.open({ url: theirs.path, credentials: { lfs: true } }, commit), 'a.yaml'),
      content,
    );
    const mine = new TestRepository(join(folder, 'mine'));
    const own = mine.commit({ '.gitattributes': attributes, 'a.yaml': pointer(oid, content.length) });
    const tree = await git.open({ url: mine.path, credentials: { lfs: true } }, own);
    await refused(read(tree, 'a.yaml'), 'the hash of another one', /LargeFileMissing/);
  });

  test('have an address that is found in time linear in the text', () => {
    // a search from every line takes hours for this
    assert.equal(lfsUrl('\n'.repeat(5_000_000)), undefined);
    assert.equal(lfsUrl(`[lfs]\n${' '.repeat(5_000_000)}url${' '.repeat(1_000_000)}`), undefined);
    assert.equal(lfsUrl(`[lfs]\nurl = http://h/${'/'.repeat(1_000_000)}x`)?.length, 1_000_010);
    assert.equal(lfsUrl('[core]\nurl = http://a\n\t[lfs]\n\turl = "https://b/c/"\n'), 'https://b/c');
    assert.equal(lfsUrl('[lfs]\nurl = file:///etc\n'), undefined);
    assert.equal(lfsUrl('[lfs "x"]\nurl = http://a\n'), undefined);
  });

  test('are refused from a server that lies, leads elsewhere or never ends', async () => {
    const content = 'kind: ConfigMap\n';
    const oid = digest(content);
    const asked: string[] = [];
    let answer: RequestListener = () => undefined;
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const host = await startGitServer(folder);
    closing.push(() => host.close());
    const repository = new TestRepository(join(folder, 'lied-to'));
    const tree = async (config: string | null, size: number | string = content.length, id = oid) => {
      const commit = repository.commit({
        '.gitattributes': attributes,
        '.lfsconfig': config,
        'a.yaml': pointer(id, size),
      });
      const credentials = { username: 'u', password: 'MARKER', lfs: true };
      return await git.open({ url: `${host.url}/lied-to`, credentials }, commit);
    };
    const batch = (download: unknown) => JSON.stringify({ objects: [{ oid, actions: { download } }] });
    const answers: Record<string, [RequestListener, RegExp]> = {
      'a body that is null': [(_, response) => response.end('null'), /LargeFileMissing/],
      'a body that is no JSON': [(_, response) => response.end('{"objects":[MARKER'), /LargeFileMissing/],
      'objects that are none': [(_, response) => response.end('{"objects":{"length":1}}'), /LargeFileMissing/],
      'nesting without end': [(_, response) => response.end('['.repeat(60_000)), /LargeFileMissing/],
      'headers that are none': [
        (_, response) => response.end(batch({ href: `${own}/f`, header: null })),
        /LargeFileMissing/,
      ],
      'a header with a line end': [
        (_, response) => response.end(batch({ href: `${own}/f`, header: { 'x-a': 'b\r\nHost: evil' } })),
        /LargeFileMissing/,
      ],
      'the address of metadata': [
        (_, response) => response.end(batch({ href: 'http://169.254.169.254/latest/meta-data' })),
        /not connected to|AddressRefused|LargeFileMissing/,
      ],
      'a file of this machine': [
        (_, response) => response.end(batch({ href: 'file:///etc/passwd' })),
        /names no address/,
      ],
      'a redirect to metadata': [
        (request, response) => {
          if (request.url?.endsWith('/batch')) return void response.end(batch({ href: `${own}/f` }));
          response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
        },
        /answered 302/,
      ],
      'a batch that leads elsewhere': [
        (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
        /answered 307/,
      ],
      'another content': [
        (request, response) =>
          response.end(request.url?.endsWith('/batch') ? batch({ href: `${own}/f` }) : 'kind: Evil12345\n'),
        /another SHA-256/,
      ],
      'a file without end': [
        (request, response) => {
          if (request.url?.endsWith('/batch')) return void response.end(batch({ href: `${own}/f` }));
          const more = () => {
            while (!response.destroyed && response.write(Buffer.alloc(1 << 16, 0x61)));
          };
          response.on('drain', more);
          more();
        },
        /another SHA-256/,
      ],
      'a batch without end': [
        (_, response) => {
          const more = () => {
            while (!response.destroyed && response.write(Buffer.alloc(1 << 16, 0x20)));
          };
          response.on('drain', more);
          more();
        },
        /LargeFileMissing/,
      ],
    };
    for (const [what, [listener, why]] of Object.entries(answers)) {
      answer = listener;
      await refused(read(await tree(`[lfs]\nurl = ${own}/${what.length}\n`), 'a.yaml'), what, why);
    }
    for (const size of ['99999999999999999999', '9'.repeat(400), 268435457])
      await refused(
        read(await tree(`[lfs]\nurl = ${own}\n`, size), 'a.yaml'),
        'a size beyond all bounds',
        /longer than|FileTooBig/,
      );
    const before = asked.length;
    for (const url of ['http://169.254.169.254', 'http://[::ffff:169.254.169.254]', 'http://0.0.0.0'])
      await refused(
        read(await tree(`[lfs]\nurl = ${url}\n`), 'a.yaml'),
        url,
        /AddressRefused|LargeFileMissing|InvalidRepositoryUrl/,
      );
    assert.equal(asked.length, before);
  });
});
