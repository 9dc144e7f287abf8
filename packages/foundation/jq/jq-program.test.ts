import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JqFailure, JqProgram } from './index.ts';

describe('programs that make values', () => {
  it('give their first value', () => {
    assert.deepEqual(new JqProgram('.items[] | {name: .n}').first({ items: [{ n: 'a' }, { n: 'b' }] }), { name: 'a' });
    assert.equal(new JqProgram('empty').first({}), undefined);
    assert.deepEqual(new JqProgram('.body.reason |= ascii_upcase').first({ body: { reason: 'x' } }), {
      body: { reason: 'X' },
    });
  });
  it('say why they give none', () => {
    assert.throws(() => new JqProgram('.a |'), JqFailure);
    assert.throws(() => new JqProgram('nosuch'), /there is no function nosuch\/0/);
    assert.throws(() => new JqProgram('.a.b').first({ a: 1 }), JqFailure);
    assert.throws(() => new JqProgram('def f: f; f').first({}), JqFailure);
  });
  it('fail where gojq fails', () => {
    for (const text of [
      '.missing | join(",")',
      '[[1]] | join(",")',
      '["a"] | with_entries(.)',
      '"x" | @base64d',
      '[.list.b[]?]',
    ])
      assert.throws(() => new JqProgram(text).first({ list: ['a'] }), JqFailure, text);
    assert.deepEqual(new JqProgram('[.list.b?, .list[]?, .nosuch[]?]').first({ list: ['a'] }), ['a']);
    assert.equal(new JqProgram('["a", 1, null, true] | join("-")').first({}), 'a-1--true');
    assert.equal(new JqProgram('"eHg" | @base64d').first({}), 'xx');
    assert.equal(new JqProgram('infinite | tostring').first({}), '1.7976931348623157e+308');
  });
});
