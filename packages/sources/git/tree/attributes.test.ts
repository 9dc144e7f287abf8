import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import { TestRepository } from '../testing/index.ts';
import type { GitTree } from './git-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-attributes-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Commits the files as they are, and then the rules, so that nothing is converted on its way in. */
function repositoryOf(name: string, files: Readonly<Record<string, string>>, rules: Readonly<Record<string, string>>) {
  const repository = new TestRepository(join(folder, name));
  repository.commit(files);
  return { repository, commit: withRules(repository, rules) };
}

function withRules(repository: TestRepository, rules: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(rules)) {
    mkdirSync(dirname(join(repository.path, path)), { recursive: true });
    writeFileSync(join(repository.path, path), text);
    repository.git('add', path);
  }
  repository.git('commit', '--quiet', '--message', 'Rules');
  return repository.git('rev-parse', 'HEAD');
}

const contents = {
  lf: 'a: 1\nb: 2\n',
  crlf: 'a: 1\r\nb: 2\r\n',
  mixed: 'a: 1\r\nb: 2\n',
  cr: 'a: 1\rb: 2\n',
  nul: 'a\0b\n',
  odd: '\u0001\u0002\u0003\n',
  none: 'no end',
  empty: '',
  ident: '# $Id$ $Id: old $ $Id: by somebody else 1.2 $ $Id:$ $Id: broken\n# $Identity$\n',
  accents: 'name: Zoë\n',
};

/** Every content at several paths. */
const everywhere = Object.fromEntries(
  Object.entries(contents).flatMap(([name, content]) =>
    [`${name}.yaml`, `${name}.txt`, `app/${name}.yaml`, `app/deep/er/${name}.yaml`, `app/x y/${name}.b`].map((path) => [
      path,
      content,
    ]),
  ),
);

const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'eol alone, and text before it': { '.gitattributes': '*.yaml eol=crlf\n*.txt text\n' },
  'guessed texts': { '.gitattributes': '* text=auto eol=crlf\n' },
  'what is later wins, in a line too': {
    '.gitattributes': '* eol=crlf\n*.txt -text\nlf.* eol=crlf eol=lf\nodd.yaml !eol\n',
  },
  'a folder’s own file before those around it': {
    '.gitattributes': '*.yaml eol=crlf\n*.txt eol=crlf',
    'app/.gitattributes': '*.yaml -text\n/lf.yaml text\n',
    'app/deep/.gitattributes': 'er/*.yaml text\n',
  },
  'an unconverting file around a converting one': {
    '.gitattributes': '*.yaml -text\n[attr]plain -text\n',
    'app/.gitattributes': '* eol=crlf\n',
    'app/deep/.gitattributes': '*.yaml text\nlf.* plain\n',
  },
  'paths and their wild cards': {
    '.gitattributes': [
      'app/*.yaml eol=crlf',
      '/lf.txt eol=crlf',
      '**/er/lf.yaml ident',
      'app/**/ident.yaml ident',
      'app/deep/** text eol=crlf',
      'nowhere/ eol=crlf',
      '!*.txt eol=crlf',
      '[[:alpha:]]*.txt ident',
      '[!l]*.txt eol=crlf',
      '# comment eol=crlf',
      '"app/x y/*.b" eol=crlf',
      '"app/x\\040y/ident.b" ident',
      'app/x[[:space:]]y/accents.b -text',
      '?f.txt -eol',
    ].join('\n'),
  },
  macros: {
    '.gitattributes':
      '[attr]dos text eol=crlf\n[attr]both dos ident\n*.yaml dos\n*.txt both\nlf.yaml -dos\nnul.* binary\ncrlf.txt eol=lf\n',
    'app/.gitattributes': '[attr]dos -text\nmixed.yaml binary\n',
  },
  'an encoding': {
    '.gitattributes': 'accents.yaml working-tree-encoding=UTF-16LE-BOM\nlf.txt working-tree-encoding=utf-8\n',
  },
  'encodings with another order, after the ends of lines': {
    '.gitattributes':
      'lf.yaml working-tree-encoding=UTF-16BE text eol=crlf\naccents.* working-tree-encoding=UTF-16LE\nnone.yaml working-tree-encoding=UTF-16\n',
  },
  'old names, and values that are none': {
    '.gitattributes': '*.yaml crlf eol=crlf\n*.txt -crlf eol=crlf\nlf.yaml text=input eol=crlf\nmixed.* eol=what\n',
  },
};

for (const [index, [name, rules]] of Object.entries(cases).entries())
  test(`files are as git itself checks them out: ${name}`, async () => {
    const { repository, commit } = repositoryOf(`case-${index}`, everywhere, rules);
    const out = join(folder, `out-${index}`);
    repository.git('clone', '--quiet', repository.path, out);
    const tree = await git.open({ url: repository.path }, commit);
    const paths = Object.keys(everywhere);
    for await (const { path, kind } of tree.list('', { recursive: true }))
      if (kind === 'file') {
        const own = Buffer.from(await tree.read(path)).toString('latin1');
        assert.equal(own, readFileSync(join(out, path)).toString('latin1'), path);
        paths.splice(paths.indexOf(path), paths.includes(path) ? 1 : 0);
      }
    assert.deepEqual(paths, []);
  });

test('without rules that convert the ids are those of git, and with them one for each content', async () => {
  const { repository, commit } = repositoryOf(
    'ids',
    { 'app/a.yaml': 'a\n', 'app/b.yaml': 'b\n' },
    { '.gitattributes': '* text=auto\n' },
  );
  const idsAt = async (at: string) => {
    const tree = await git.open({ url: repository.path }, at);
    return [await tree.treeOid('app'), await tree.treeOid('app/a.yaml'), await tree.treeOid('app/b.yaml')];
  };
  const plain = await idsAt(commit);
  assert.deepEqual(
    plain,
    ['app', 'app/a.yaml', 'app/b.yaml'].map((path) => repository.git('rev-parse', `HEAD:${path}`)),
  );
  const converted = await idsAt(withRules(repository, { '.gitattributes': 'a.yaml eol=crlf\n' }));
  assert.deepEqual(
    converted.map((id, index) => id === plain[index]),
    [false, false, true],
    'the folder, whose own objects are what they were, has another content now',
  );
  assert.deepEqual(await idsAt(withRules(repository, { '.gitattributes': '*.md diff\n' })), plain);
});

test('what writes the next commit reads files as they are stored', async () => {
  const { repository, commit } = repositoryOf(
    'stored',
    { 'a.yaml': 'a\n' },
    { '.gitattributes': '* eol=crlf filter=x\n' },
  );
  const tree = await git.open({ url: repository.path }, commit, { stored: true });
  assert.equal(Buffer.from(await tree.read('a.yaml')).toString(), 'a\n');
});

for (const [rule, told] of [
  ['*.yaml filter=crypt', /the filter "crypt", and no filter of a repository is run/],
  ['secret/** working-tree-encoding=EBCDIC', /the encoding "EBCDIC"/],
] as const)
  test(`${rule} is refused when the file is read, with what takes it off`, async () => {
    const files = { 'secret/my key.yaml': 'a\n', 'b.txt': 'b\n' };
    const { repository, commit } = repositoryOf(`refused-${told.source.length}`, files, {
      '.gitattributes': `${rule}\n`,
    });
    const tree = await git.open({ url: repository.path }, commit);
    assert.equal(Buffer.from(await tree.read('b.txt')).toString(), 'b\n');
    const { code, message, remedies } = await refusalOf(tree.read('secret/my key.yaml'));
    assert.equal(code, 'FileNotConverted');
    assert.match(message ?? '', told);
    const [first] = remedies ?? [];
    const line = typeof first === 'object' ? first.paste : undefined;
    assert.ok(line);
    const mended = withRules(repository, { '.gitattributes': `${rule}\n${line}\n` });
    const after = await git.open({ url: repository.path }, mended);
    assert.equal(Buffer.from(await after.read('secret/my key.yaml')).toString(), 'a\n', line);
  });

test('rules without end are refused, and only where they convert', async () => {
  const many = Array.from({ length: 2_001 }, (_, index) => `x${index} -diff`).join('\n');
  const { repository, commit } = repositoryOf('many', { 'a.yaml': 'a\n' }, { '.gitattributes': many });
  const tree = (at: string): Promise<GitTree> => git.open({ url: repository.path }, at);
  assert.equal(Buffer.from(await (await tree(commit)).read('a.yaml')).toString(), 'a\n');
  const converting = withRules(repository, { '.gitattributes': `${many}\na.yaml ident\n` });
  assert.equal((await refusalOf((await tree(converting)).read('a.yaml'))).code, 'FileTooBig');
  const long = withRules(repository, { '.gitattributes': `# ${'x'.repeat(1024 * 1024)}\n` });
  assert.equal((await refusalOf((await tree(long)).read('a.yaml'))).code, 'FileTooBig');
});

async function refusalOf(reading: Promise<unknown>) {
  const error = await reading.then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}
