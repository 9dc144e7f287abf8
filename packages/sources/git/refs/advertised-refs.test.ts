import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseAdvertisedRefs } from './advertised-refs.ts';
import { parseRefs } from './ref-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-refs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { maxBuffer: 64 << 20 });
const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const service = `${packet('# service=git-upload-pack\n')}0000`;
const id = 'a'.repeat(40);

test('the answer of a host is what git ls-remote prints of it', () => {
  git('init', '--quiet', '--initial-branch=main');
  const as = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  git(...as, 'commit', '--quiet', '--allow-empty', '-m', 'one');
  git('tag', 'light');
  git(...as, 'tag', '-a', '-m', 'annotated', 'v1.0.0');
  git('branch', 'topic/deep');
  const body = Buffer.concat([
    Buffer.from(service),
    execFileSync('git', ['upload-pack', '--advertise-refs', '--stateless-rpc', folder]),
  ]);
  const expected = parseRefs(git('ls-remote', '--symref', '.').toString());
  assert.equal(expected.peeled.size, 1);
  assert.deepEqual(parseAdvertisedRefs(body), expected);
  for (let cut = 0; cut < body.length; cut++)
    assert.equal(parseAdvertisedRefs(body.subarray(0, cut)), undefined, `cut off after ${cut} bytes`);
});

test('what is no plain list of refs is left to git', () => {
  const others = {
    'version 2': `${service}${packet('version 2\n')}${packet('ls-refs\n')}0000`,
    'a host without refs': `${service}${packet(`${'0'.repeat(40)} capabilities^{}\0agent=git/2\n`)}0000`,
    'a page': '<html>',
    'another service': `${packet('# service=git-receive-pack\n')}0000${packet(`${id} HEAD\0\n`)}0000`,
    'an error of the host': `${service}${packet('ERR access denied')}0000`,
    'a length below its own': `${service}0003${id}`,
    'no digits': `${service}zzzz`,
  };
  for (const [what, body] of Object.entries(others))
    assert.equal(parseAdvertisedRefs(Buffer.from(body)), undefined, what);
  const refs = `${packet('version 1\n')}${packet(`${id} HEAD\0symref=HEAD:refs/heads/main agent=x\n`)}${packet(`${id} __proto__\n`)}`;
  const table = parseAdvertisedRefs(Buffer.from(`${service}${refs}0000`));
  assert.deepEqual([...(table?.refs.keys() ?? [])], ['HEAD', '__proto__']);
  assert.equal(table?.symbolic.get('HEAD'), 'refs/heads/main');
});
