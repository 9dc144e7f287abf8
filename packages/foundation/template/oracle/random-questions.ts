import fc from 'fast-check';
import { builtinFunctions, sprigFunctions } from '../index.ts';
import type { Question } from './oracle.ts';

/** Values of every kind that the random questions draw on. */
export const data = {
  n: null,
  f: 3.25,
  i64: { $int64: '9007199254740993' },
  big: 123456789012,
  s: 'str',
  list: ['x', 1, null, true, ['y'], { z: 1 }],
  empty: [],
  strs: { $strings: ['b', 'a', 'c', 'a'] },
  ints: [3, 1, 2],
  map: { a: 1, b: 'two', c: [1, 2] },
  nested: { a: { b: { c: 'deep' } }, l: [{ k: 'v' }] },
  emap: {},
  bytes: { $bytes: 'hi<&>' },
};

/** Functions whose result depends on chance, time, the machine or Go's order of maps. */
const unpredictable = new Set(
  `env expandenv getHostByName randAlphaNum randAlpha randAscii randNumeric randBytes randInt shuffle uuidv4 now date ago
  htmlDate dateInZone date_in_zone htmlDateInZone genPrivateKey genCA genCAWithKey genSelfSignedCert
  genSelfSignedCertWithKey genSignedCert genSignedCertWithKey buildCustomCert bcrypt htpasswd encryptAES derivePassword
  keys values hello`.split(/\s+/),
);

/** Names of the functions that always answer the same. */
export const functionNames = [...new Set([...sprigFunctions.keys(), ...builtinFunctions.keys(), 'and', 'or'])]
  .filter((name) => !unpredictable.has(name))
  .sort();

/** Arguments of every kind, and odd ones. */
export const operands =
  `nil .n .missing "a" "" "Hello World" "héllo wörld €" "12" "0x1F" "017" "-3.7" "true" 1 0 -1 3 7 1.5 -2.5
.f .i64 .big true false .list .empty .strs .ints .map .nested .emap .bytes (list) "a,b,c" "1.2.3" "^1.2.0" "[a-z]+" "$1-x" 'x'
0x10 "a/b/../c.txt" "A1B2_snake-Kebab" "yes\\nno\\n" 1i (int64|7)`
    .replaceAll('"Hello World"', '"Hello|World"')
    .replaceAll('"héllo wörld €"', '"héllo|wörld|€"')
    .split(/\s+/)
    .map((word) => word.replaceAll('|', ' '))
    .concat(
      '(list 1 2 3)',
      '(list "b" "a" 3 nil)',
      '(dict "a" 1)',
      '"{\\"a\\":[1,2.50,1e3]}"',
      '"https://u:p@h.example:8080/a?q=1#f"',
    );

const operand = fc.constantFrom(...operands);
const oneOf = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(' '));

/** A call of any predictable function with arguments of any kind. */
export const callQuestion: fc.Arbitrary<Question> = fc
  .record({
    name: fc.constantFrom(...functionNames),
    args: fc.array(operand, { maxLength: 4 }),
    form: fc.constantFrom('', 'printf "%#v"', 'toJson', 'printf "%T"'),
    missingKey: fc.constantFrom('default' as const, 'zero' as const),
  })
  // Lists of billions of elements are what the budget is for.
  .filter(
    ({ name, args }) =>
      !(/^(repeat|until|untilStep|seq|n?indent|wrap.*)$/.test(name) && /\.(i64|big)/.test(args.join())),
  )
  .map(({ name, args, form, missingKey }) => {
    const call = [name, ...args].join(' ');
    return { template: form ? `{{ ${form} (${call}) }}` : `{{ ${call} }}`, data, missingKey };
  });

const directive = fc
  .record({
    flags: fc.array(fc.constantFrom('+', '-', '#', ' ', '0'), { maxLength: 2 }),
    width: fc.constantFrom('', '', '3', '10', '1', '20', '*', '[2]', '[1]'),
    precision: fc.constantFrom('', '', '.', '.0', '.2', '.10', '.*', '.[1]'),
    verb: oneOf('v T t b c d o O q x X U e E f F g G s w z % ! é'),
  })
  .map(({ flags, width, precision, verb }) => `%${flags.join('')}${width}${precision}${verb}`);

/** A format with directives of any shape. */
export const formatQuestion: fc.Arbitrary<Question> = fc
  .record({ parts: fc.array(directive, { minLength: 1, maxLength: 3 }), args: fc.array(operand, { maxLength: 3 }) })
  .map(({ parts, args }) => ({ template: `{{ printf "${parts.join(' a ')}" ${args.join(' ')} }}`, data }));

const { pipeline } = fc.letrec<{ expression: string; pipeline: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    oneOf(
      '. .s .f .map .map.a .nested.a.b.c .missing .missing.x .n .n.x .list $ $.s $x $y "q" `r` 1 -2 1.5 true nil .strs .s.x .list.x',
    ),
    fc.tuple(tie('pipeline'), oneOf(' .a .b.c')).map(([inner, field]) => `(${inner})${field}`),
  ),
  pipeline: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('expression'),
    fc
      .tuple(oneOf('len not print upper quote toString int list first toJson trim and or kindOf'), tie('expression'))
      .map((words) => words.join(' ')),
    fc
      .tuple(
        oneOf('eq ne lt le gt ge and or index add dict append default cat merge'),
        tie('expression'),
        tie('expression'),
      )
      .map((words) => words.join(' ')),
    fc.tuple(tie('expression'), oneOf('upper len quote not toJson .map.a 1 first')).map((words) => words.join(' | ')),
  ),
}));

const broken =
  `{{end}} {{else}} {{if}} {{ {{"abc {{.a..b}} {{(1}} {{1)}} {{$z}} {{.x|}} {{break}} {{1_000}} {{08}} {{1e400}} {{"\\q"}}
{{'ab'}} {{@}} {{.a@}} {{.x.1}} {{nil}} {{nil.x}} {{true.x}} {{define "q"}} {{.a,}} {{x:y}} {{\`a {{/*c {{/*a*/ {{9223372036854775808}}`.split(
    /\s+/,
  );

const action = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('{{ ', '{{- ', '{{\n'), inner, fc.constantFrom(' }}', ' -}}', '}}'))
    .map((parts) => parts.join(''));

const { body } = fc.letrec<{ body: string; statement: string }>((tie) => ({
  body: fc.array(tie('statement'), { maxLength: 3 }).map((parts) => parts.join('')),
  statement: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(' text ', '\n', '  x\n', 'é€', '%'),
    action(pipeline),
    action(fc.tuple(fc.constantFrom('$x := ', '$x = ', '$y := '), pipeline).map((parts) => parts.join(''))),
    fc
      .tuple(
        fc.constantFrom('if ', 'with ', 'with $x := ', 'range ', 'range $x := ', 'range $i, $x := ', 'range $x = '),
        pipeline,
        tie('body'),
        fc.option(tie('body'), { nil: undefined }),
      )
      .map(
        ([head, pipe, then, otherwise]) =>
          `{{ ${head}${pipe} }}${then}${otherwise === undefined ? '' : `{{ else }}${otherwise}`}{{ end }}`,
      ),
    tie('body').map((inner) => `{{ range until 3 }}${inner}{{ if eq . 1 }}{{ break }}{{ end }}{{ end }}`),
    fc.tuple(oneOf('A B'), tie('body')).map(([name, inner]) => `{{ block "${name}" . }}${inner}{{ end }}`),
    fc.constantFrom('{{ template "C" .map }}', '{{/* c */}}', '{{- /* c */ -}}'),
    { weight: 1, arbitrary: fc.constantFrom(...broken) },
  ),
}));

/** Gives each block a name of its own: a block in itself would run for ever. */
function withoutRecursion(text: string): string {
  let count = 0;
  return text.replace(/block "[AB]"/g, () => `block "B${count++}"`);
}

/** A range of versions of any shape, and a version. */
export const versionQuestion: fc.Arbitrary<Question> = fc
  .record({
    parts: fc.array(
      fc
        .tuple(
          oneOf('= != > < >= => <= =< ~ ~> ^ =>'),
          fc.constantFrom('', ' ', 'v'),
          fc.array(oneOf('0 1 2 3 x * X 10 00 01'), { minLength: 1, maxLength: 4 }),
          fc.constantFrom('', '', '-0', '-rc.1', '-alpha', '+meta', '-01'),
        )
        .map(([operator, gap, numbers, tail]) => (gap === 'v' ? '' : operator) + gap + numbers.join('.') + tail),
      { minLength: 1, maxLength: 3 },
    ),
    joiner: fc.constantFrom(' ', ', ', ' || ', '||', ' - ', ','),
    numbers: fc.array(oneOf('0 1 2 3 10 01'), { minLength: 1, maxLength: 4 }),
    head: fc.constantFrom('', 'v'),
    tail: fc.constantFrom('', '', '-0', '-rc.1', '-rc.2', '-alpha.1', '+meta', '-01', '-rc.1+m'),
  })
  .map(({ parts, joiner, numbers, head, tail }) => {
    const version = `"${head}${numbers.join('.')}${tail}"`;
    return {
      template: `{{ semverCompare "${parts.join(joiner)}" ${version} }}{{ with semver ${version} }}{{ .IncPatch }} {{ .Major }} {{ . }}{{ end }}`,
    };
  });

/** A whole template of any shape, of which some do not parse. */
export const templateQuestion: fc.Arbitrary<Question> = fc
  .record({ body, missingKey: fc.constantFrom('default' as const, 'zero' as const, 'error' as const) })
  .map(({ body: text, missingKey }) => ({
    template: `{{ define "C" }}<{{ .a }}>{{ end }}{{ $x := 1 }}{{ $y := .s }}\n${withoutRecursion(text)}`,
    data,
    missingKey,
  }));
