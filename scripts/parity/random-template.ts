import fc from 'fast-check';

/** Values of all kinds that YAML and --set make, for the random templates: they see them as `.`. */
export const templateData = `
"null": null
zero: 0
one: 1
minus: -7
float: 2.5
whole: 3.0
exponent: 1e3
tiny: 0.000001
large: 12345678901
maximum: 9223372036854775807
beyond: 18446744073709551615
octal: 0o17
hex: 0x1F
yes: true
no: false
empty: ""
word: word
digits: "012"
text: "Hello, World: a 'quoted' \\"text\\" é € 😀"
lines: "one\\n  two\\n\\nthree\\n"
semver: v1.2.3-rc.1+build.5
date: 2024-02-29
time: 2024-02-29T13:05:09Z
list: [c, a, b, a]
numbers: [3, 1.5, 2, -1]
mixed: [x, 1, null, true, [y], {z: 1}]
none: []
map: {b: two, a: 1, c: [1, 2]}
deep: {a: {b: {c: deep}}, l: [{k: v}, {k: w}]}
hollow: {}
`;

const paths = {
  text: '.empty .word .digits .text .lines .semver .date .time .deep.a.b.c "a" "" "Hello World" "a-b_c.D e" "12" "3.7" "true" `raw\\n` "x,y,,z" "%d" "é€😀" "*.txt" "a/b/../c.txt"',
  integer: ".zero .one .minus .large .maximum .octal .hex 0 1 2 3 -1 7 0x10 1_000 'x'",
  number: '.float .whole .exponent .tiny .beyond 1.5 -2.5 1e3 1e21 0.1 3.0',
  bool: '.yes .no true false',
  list: '.list .numbers .mixed .none .deep.l (list) (list 1 2.5 "x" nil) (until 3)',
  dict: '.map .deep .hollow (dict) (dict "k" 1 "j" (list 1))',
  nothing: '.null .missing .missing.x nil',
  count: '0 1 2 5',
  pattern: '"[a-z]+" "(a|b)(c)?" "^\\\\s*$" "." "x*"',
  layout: '"2006-01-02" "Mon Jan _2 15:04:05 2006" "02/01/06 3:04PM" "2006-01-02T15:04:05Z07:00"',
  version: '"1.2.3" "v2.0.0-beta.1" "1.2" .semver',
  range: '">=1.2.3" "^1" "~1.2" "1.x || >2" "<2.0.0-0" ">= 1.0.0, < 2"',
  time: '(toDate "2006-01-02" "2024-02-29") (toDate "2006-01-02T15:04:05Z07:00" "2024-07-04T13:05:09+02:00")',
} as const;

type Kind = keyof typeof paths | 'any';

/** Calls by what they return; `$kind` stands for an argument. */
const calls: Readonly<Partial<Record<Kind, string>>> = {
  text: `upper $text|lower $text|title $text|untitle $text|trim $text|trimAll $text $text|trimSuffix $text $text|trimPrefix $text $text
nospace $text|initials $text|snakecase $text|camelcase $text|kebabcase $text|swapcase $text|trunc $integer $text|abbrev $integer $text
abbrevboth $integer $integer $text|substr $integer $integer $text|repeat $count $text|replace $text $text $text|quote $any $any|squote $any
cat $any $any|indent $count $text|nindent $count $text|wrap $count $text|wrapWith $count $text $text|plural $text $text $integer
toString $any|toJson $any|toPrettyJson $any|toRawJson $any|toYaml $any|toYamlPretty $any|b64enc $text|b64dec $text|b32enc $text|b32dec $text
sha1sum $text|sha256sum $text|sha512sum $text|adler32sum $text|join $text $list|join $text $any|default $any $text|ternary $any $any $bool
typeOf $any|kindOf $any|printf "%v %T" $any $any|printf "%s|%d|%q" $any $any $any|printf "%5.2f|%x|%t" $any $any $any|printf "%#v" $any
print $any $any|println $any|html $any|js $any|urlquery $any|regexFind $pattern $text|regexReplaceAll $pattern $text $text
regexReplaceAllLiteral $pattern $text $text|regexQuoteMeta $text|base $text|dir $text|clean $text|ext $text|osBase $text
date $layout $time|dateInZone $layout $time "Asia/Tokyo"|htmlDate $time|duration $any|durationRound $any|toToml $dict|coalesce $any $text
semver $version|urlJoin $dict|sortAlpha $list|squote $any $any|tpl $text .|tpl "{{ .word }}-{{ upper .word }}" $dict|fromJson $text|fromYaml $text
fromToml $text|fromJsonArray $text|fromYamlArray $text|required $text $any|get $dict $text|dig "a" "b" $any $dict|index $any $any
seq $count $count|contains $text $text|mustToJson $any|mustRegexFind $pattern $text|getHostByName $text|toYaml (list $any $any)`,
  integer: `len $text|len $list|len $dict|int $any|int64 $any|atoi $text|add $any $any|add1 $any|sub $any $any|mul $any $any|div $any $any
mod $any $any|max $any $any|min $any $any|floor $any|ceil $any|round $any $count|toDecimal $any|unixEpoch $time|biggest $any $any`,
  number: `float64 $any|addf $any $any|subf $any $any|mulf $any $any|divf $any $any|maxf $any $any|minf $any $any|add1f $any`,
  bool: `eq $any $any|ne $any $any|lt $any $any|le $any $any|gt $any $any|ge $any $any|not $any|and $any $any|or $any $any|empty $any
contains $text $text|hasPrefix $text $text|hasSuffix $text $text|has $any $list|hasKey $dict $text|regexMatch $pattern $text|kindIs $text $any
typeIs $text $any|deepEqual $any $any|semverCompare $range $version|all $any $any|any $any $any|isAbs $text|typeIsLike $text $any|eq $text $text $text`,
  list: `first $list|last $list|rest $list|initial $list|append $list $any|prepend $list $any|concat $list $list|reverse $list|uniq $list
compact $list|without $list $any|slice $list $count|slice $list $count $count|chunk $count $list|splitList $text $text|sortAlpha $list
keys (dict "a" $any)|values (dict "a" $any)|pluck $text $dict $dict|until $count|untilStep $integer $integer $count|list $any $any
regexSplit $pattern $text $integer|regexFindAll $pattern $text $integer|tuple $any $any|fromYamlArray $text|fromJsonArray $text|toStrings $list`,
  dict: `set (dict "a" 1) $text $any|unset (dict "a" 1 "b" 2) $text|merge (dict) $dict $dict|mergeOverwrite (dict) $dict $dict|pick $dict $text
omit $dict $text|deepCopy $dict|dict $text $any|split $text $text|splitn $text $count $text|fromYaml $text|fromJson $text|urlParse $text
get $dict $text|fromToml $text|lookup "v1" "Pod" $text $text|mustMerge (dict) $dict $dict|fromYaml (toYaml $dict)|fromToml (toToml $dict)`,
};

const kinds = Object.keys(paths) as (keyof typeof paths)[];
const leaf = (kind: keyof typeof paths): fc.Arbitrary<string> =>
  fc.constantFrom(...(paths[kind].match(/\((?:[^()]|\([^()]*\))*\)|`[^`]*`|"(?:[^"\\]|\\.)*"|\S+/g) as string[]));
const anyLeaf = fc.oneof(...kinds.filter((kind) => !['pattern', 'layout', 'range'].includes(kind)).map(leaf));
const anyKind = fc.constantFrom<keyof typeof paths>('text', 'integer', 'number', 'bool', 'list', 'dict');

function expression(kind: Kind, depth: number): fc.Arbitrary<string> {
  const known = kind === 'any' ? undefined : calls[kind];
  const plain = kind === 'any' ? anyLeaf : leaf(kind);
  if (depth === 0) return plain;
  if (kind === 'any')
    return fc.oneof(
      plain,
      anyKind.chain((chosen) => expression(chosen, depth - 1)),
    );
  // Sometimes an argument of another kind: errors are compared as well.
  const odd = { arbitrary: anyLeaf, weight: 1 };
  if (!known) return fc.oneof({ arbitrary: plain, weight: 12 }, odd);
  const call = fc.constantFrom(...known.split(/[|\n](?![^"]*"(?:[^"]*"[^"]*")*[^"]*$)/)).chain((form) => {
    const pieces = form.split(/(\$[a-z]+)/);
    return fc
      .tuple(
        ...pieces.map((piece) =>
          piece.startsWith('$') ? expression(piece.slice(1) as Kind, depth - 1) : fc.constant(piece),
        ),
      )
      .map((parts) => `(${parts.join('')})`);
  });
  return fc.oneof({ arbitrary: plain, weight: 6 }, { arbitrary: call, weight: 12 }, odd);
}

/** An expression that calls Sprig's and Helm's functions, mostly with arguments that fit. */
export const randomExpression: fc.Arbitrary<string> = anyKind.chain((kind) => expression(kind, 3));

const pipeline = fc.oneof(
  randomExpression,
  fc
    .tuple(randomExpression, fc.constantFrom('quote', 'toJson', 'default "d"', 'toYaml', 'upper', 'len', 'trim', 'not'))
    .map(([value, filter]) => `${value} | ${filter}`),
);

const open = fc.constantFrom('{{ ', '{{- ', '{{');
const close = fc.constantFrom(' }}', ' -}}', '}}');

const { body } = fc.letrec<{ body: string; statement: string }>((tie) => {
  const action = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(open, inner, close).map((parts) => parts.join(''));
  const block = (head: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(action(head), tie('body'), action(fc.constantFrom('else', 'else if .yes', 'else with .map')), tie('body'))
      .chain(([start, then, otherwise, other]) =>
        action(fc.constant('end')).chain((end) =>
          fc.constantFrom(`${start}${then}${end}`, `${start}${then}${otherwise}${other}${end}`),
        ),
      );
  return {
    body: fc.array(tie('statement'), { maxLength: 3 }).map((parts) => parts.join('')),
    statement: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom(' text ', '\n', '  indented\n', 'é€', '{{/* comment */}}', '{{- /* trimmed */ -}}', 'a: b\n'),
      action(pipeline),
      action(fc.tuple(fc.constantFrom('$x := ', '$x = ', '$y := '), pipeline).map((parts) => parts.join(''))),
      action(fc.constantFrom('$x', '$.word', '.', 'break', 'continue', 'template "leaf" .', 'include "leaf" .map')),
      block(
        fc.tuple(fc.constantFrom('if ', 'with ', 'with $x := ', 'if not '), pipeline).map((parts) => parts.join('')),
      ),
      block(
        fc
          .tuple(
            fc.constantFrom('range ', 'range $x := ', 'range $i, $x := ', 'range $i, $_ := '),
            fc.oneof(expression('list', 1), expression('dict', 1), expression('count', 1), leaf('text')),
          )
          .map((parts) => parts.join('')),
      ),
    ),
  };
});

/** A template with actions of all kinds; `$x` is always there, and so is the template "leaf". */
export const randomBody: fc.Arbitrary<string> = body.map(
  (text) => `{{ $x := 1 }}{{ if true }}${text}{{ end }}{{ $x }}`,
);
