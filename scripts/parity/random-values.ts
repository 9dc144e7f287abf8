import fc from 'fast-check';

const word = fc.constantFrom(
  ...`true True yes on off n y null ~ .inf -.inf .nan 0x1F 0o17 017 0b11 1_000 +1 -0 1e3 1.5e-7 .5 5. 1e400 12e03 0x
2001-01-01 2001-01-01T00:00:00Z 12:30:45 1:2 << = ! !!str !!int !!binary & * *a | > ? - : # % @ \` [ ] { } , ' " \\ a:b a#b a: -a
9223372036854775807 9223372036854775808 18446744073709551616 -9223372036854775809 123456789012345678901234567890 1.0 100000000.0
é 😀 \u2028 \u00a0 x\u0085y`.split(/\s+/),
);
const text = fc
  .array(fc.oneof(word, fc.constantFrom(' ', '  ', '\n', '\t', 'a', 'word', '\n\n', ' #', ': ')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const doubleQuoted = text.map((value) => JSON.stringify(value));
const singleQuoted = text.map((value) => `'${value.replaceAll("'", "''").replace(/[\n\t]+/g, ' ')}'`);
const block = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2'),
    fc.array(fc.constantFrom('a', '  b', '', 'c: d', '# e', ' x ', 'word '.repeat(30)), { minLength: 1, maxLength: 4 }),
  )
  .map(([style, lines]) => `${style}\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}`);
const plain = fc.oneof(
  word,
  fc.tuple(word, word).map((parts) => parts.join(' ')),
);

const { flow } = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    doubleQuoted,
    plain,
    fc.array(tie('flow'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom('a', 'b', '1', 'true', '"q"', '1.5', 'null'), plain), tie('flow')), {
        maxLength: 3,
      })
      .map((pairs) => `{${pairs.map(([key, value]) => `${key}: ${value}`).join(', ')}}`),
  ),
}));

const anchored = fc.constantFrom(
  '&x {a: 1}',
  '\n  <<: {a: 1, b: 2}\n  a: 3',
  '\n  - &y 1\n  - *y',
  '\n  p: &z {a: 1}\n  q:\n    <<: *z\n    b: 2',
  '\n  <<: [{a: 1}, {a: 2, b: 3}]',
  '!!str 1',
  '!!int "3"',
  '!!float 3',
  '!!binary aGk=',
  '!custom x',
  '\n  a: 1\n  a: 2',
);

/** A YAML value of any style, as it stands after `key: `; some are not YAML. */
export const randomYaml: fc.Arbitrary<string> = fc.oneof(plain, doubleQuoted, singleQuoted, block, flow, anchored);
