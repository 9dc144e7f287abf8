import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRefs } from './ref-table.ts';
import { isConstraint, isInRange, matchRevision, missingRevision, nearest } from './revision.ts';

const sha = (digit: string) => digit.repeat(40);

function table(refs: Record<string, string>) {
  return parseRefs(
    `ref: refs/heads/main\tHEAD\n${Object.entries({ HEAD: sha('1'), 'refs/heads/main': sha('1'), ...refs })
      .map(([name, oid]) => `${oid}\t${name}`)
      .join('\n')}\n`,
  );
}

test('a tag wins over a branch of its name; full names are exact; an annotated tag is its commit', () => {
  const refs = table({
    'refs/heads/v1': sha('2'),
    'refs/tags/v1': sha('3'),
    'refs/tags/v1^{}': sha('4'),
    'refs/pull/7/head': sha('5'),
  });
  assert.deepEqual(matchRevision(refs, 'v1'), { commit: sha('4'), ref: 'refs/tags/v1' });
  assert.deepEqual(matchRevision(refs, 'refs/heads/v1'), { commit: sha('2'), ref: 'refs/heads/v1' });
  assert.deepEqual(matchRevision(refs, 'heads/v1'), { commit: sha('2'), ref: 'refs/heads/v1' });
  assert.deepEqual(matchRevision(refs, 'pull/7/head'), { commit: sha('5'), ref: 'refs/pull/7/head' });
  assert.deepEqual(matchRevision(refs, 'abcdef1'), { abbreviated: 'abcdef1' });
  assert.equal(matchRevision(refs, 'abcdef'), undefined);
});

test('ranges take the highest tag, within the prefix if there is one', () => {
  const tags = ['1.0.0', 'v1.2.0', '1.10.0', '2.0.0-rc.1', 'web/1.1.0', 'web/1.3.0', 'nightly'];
  const refs = table(Object.fromEntries(tags.map((tag, index) => [`refs/tags/${tag}`, sha(index.toString(16))])));
  const tagOf = (revision: string, prefix?: string) => {
    const match = matchRevision(refs, revision, prefix);
    return match && 'ref' in match ? match.ref?.slice('refs/tags/'.length) : undefined;
  };
  assert.equal(tagOf('*'), '1.10.0');
  assert.equal(tagOf('1.2.*'), 'v1.2.0');
  assert.equal(tagOf('>=1.0.0 <1.5'), 'v1.2.0');
  assert.equal(tagOf('*-0'), '2.0.0-rc.1');
  assert.equal(tagOf('1.x', 'web/'), 'web/1.3.0');
  assert.equal(tagOf('1.1.0', 'web/'), 'web/1.1.0');
  assert.equal(tagOf('>=3'), undefined);
});

test('constraints match as Masterminds/semver does', () => {
  for (const [constraint, matching, other] of [
    ['~1.2.3', '1.2.9', '1.3.0'],
    ['~1', '1.9.0', '2.0.0'],
    ['~1.2', '1.2.0', '1.3.0-alpha'],
    ['^1.2.3', '1.9.9', '2.0.0'],
    ['^0.2.3', '0.2.9', '0.3.0'],
    ['^0.0.3', '0.0.3', '0.0.4'],
    ['^0', '0.9.0', '1.0.0'],
    ['>11', '12.0.0', '11.5.0'],
    ['>11.1', '11.2.0', '11.1.9'],
    ['<=11', '11.9.9', '12.0.0'],
    ['<2', '1.9.9', '2.0.0'],
    ['!=1.2', '1.3.0', '1.2.7'],
    ['1.0 - 2.0', '2.0.5', '2.1.0'],
    ['<1 || >=3', '3.0.0', '2.0.0'],
    ['>=1.0.0, <2.0.0', '1.5.0', '2.0.0'],
    ['>=1.0.0-0', '1.1.0-beta', '0.9.0'],
    ['=1.2.3', '1.2.3', '1.2.4'],
    ['1.2', '1.2.9', '1.3.0'],
    ['v1.x.x', '1.5.0', '2.0.0'],
    ['>=1.0', '1.0.0', '1.1.0-rc.1'],
  ] as const) {
    assert.equal(isInRange(matching, constraint), true, `${constraint} ${matching}`);
    assert.equal(isInRange(other, constraint), false, `${constraint} ${other}`);
  }
  for (const text of ['', 'main', 'feature/1.x', '>=', '1.2.3.4', '>=1 main', 'v', '1.2.3'])
    assert.equal(isConstraint(text), false, text);
  assert.equal(isConstraint('1.x'), true);
});

test('the highest tag is the one of the highest version, and what is no version is never taken', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v1.10',
    '2',
  ];
  const none = ['1.2.3-01', 'a3.2.3', '3.2.3-', '18446744073709551616.0.0', '3'.repeat(300)];
  for (let count = 1; count <= ordered.length; count += 1) {
    const tags = [...ordered.slice(0, count).toReversed(), ...none];
    const match = matchRevision(table(Object.fromEntries(tags.map((tag) => [`refs/tags/${tag}`, sha('7')]))), '>=0-0');
    assert.equal(match && 'ref' in match ? match.ref : undefined, `refs/tags/${ordered[count - 1]}`);
  }
});

test('a missing revision is diagnosed with near names and its last commit', () => {
  const refs = table({ 'refs/heads/release': sha('2'), 'refs/heads/release-1.2': sha('3') });
  const never = missingRevision('https://h/r', refs, 'relase', '', undefined).diagnosis;
  assert.equal(never.cause, 'R9');
  assert.equal(never.evidence.find(({ name }) => name === 'nearest names')?.value, 'release');
  assert.equal(never.remedies[0]?.paste, 'targetRevision: release');
  const gone = missingRevision('https://h/r', refs, 'old', '', { commit: sha('a'), at: 0 }).diagnosis;
  assert.match(gone.message, /"old" was deleted from the repository; its last commit was aaaaaaa/);
  assert.deepEqual(nearest('prod', ['production', 'dev']), ['production']);
});
