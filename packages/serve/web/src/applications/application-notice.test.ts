import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeOf } from './application-notice.ts';

const of = (values: Record<string, string>) =>
  noticeOf(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`notice.argocd.argoproj.io/${name}`, value])),
  );

test('noticeOf() reads what the owner of an application says', () => {
  assert.equal(of({ severity: 'critical' }), undefined);
  assert.equal(of({ content: '  ' }), undefined);
  assert.deepEqual(of({ content: 'Moves on Friday' }), {
    content: 'Moves on Friday',
    severity: 'info',
    url: undefined,
    permanent: false,
    scope: 'both',
  });
  assert.deepEqual(
    of({ content: 'Stop', severity: ' Critical', url: 'https://example.com/x', permanent: 'TRUE', scope: 'Icon' }),
    { content: 'Stop', severity: 'critical', url: 'https://example.com/x', permanent: true, scope: 'icon' },
  );
});

test('noticeOf() goes to web pages alone, and shows neither turned letters nor more than 500', () => {
  for (const url of ['javascript:alert(1)', 'mailto:a@example.com', '/here'])
    assert.equal(of({ content: 'x', url })?.url, undefined);
  assert.equal(of({ content: 'go\u202eod' })?.content, 'good');
  assert.equal(of({ content: 'x'.repeat(600) })?.content.length, 500);
  assert.equal(of({ content: 'x', severity: 'loud', scope: 'everywhere' })?.severity, 'info');
});
