import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { manifestsIn } from './manifest-file.ts';
import { secondsOf } from './seconds.ts';

test('how long a token is valid is written as for argocd', () => {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  assert.deepEqual(
    ['0s', '0', '90s', '12h', '7d', '1d12h', '2w', '3600'].map((text) => secondsOf(command, text)),
    [0, 0, 90, 43_200, 604_800, 129_600, 1_209_600, 3600],
  );
  for (const wrong of ['', 'soon', '1.5h', '12h!', '-1h'])
    assert.throws(() => secondsOf(command, wrong), /is no duration: use a number and s, m, h, d or w/);
});

test('manifests are read from files and addresses, all of them, and of the kind that is wanted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-manifests-'));
  const application = (name: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\n`;
  const server = createServer((request, response) => {
    if (request.url === '/a.yaml') return void response.end(application('far'));
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = async (given: string) =>
    (
      await manifestsIn<{ metadata: { name: string } }>(given, 'Application', {
        workdir: folder,
        signal: new AbortController().signal,
      })
    ).map(({ metadata }) => metadata.name);
  writeFileSync(join(folder, 'two.yaml'), `${application('one')}---\n---\n${application('two')}`);
  assert.deepEqual(await read('two.yaml'), ['one', 'two']);
  assert.deepEqual(await read(`${origin}/a.yaml`), ['far']);
  writeFileSync(join(folder, 'other.yaml'), `${application('one')}---\nkind: ConfigMap\n`);
  await assert.rejects(read('other.yaml'), /Document 2 of other\.yaml is a ConfigMap, and Application is wanted/);
  writeFileSync(join(folder, 'list.yaml'), '- a\n');
  await assert.rejects(read('list.yaml'), /Document 1 of list\.yaml is no object/);
  writeFileSync(join(folder, 'empty.yaml'), '# nothing\n');
  await assert.rejects(read('empty.yaml'), /empty\.yaml holds no Application: it is empty/);
  await assert.rejects(read('gone.yaml'), /gone\.yaml cannot be read: ENOENT/);
  await assert.rejects(read(`${origin}/b.yaml`), /b\.yaml cannot be read: the host answers 404/);
});
