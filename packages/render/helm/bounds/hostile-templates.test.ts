import { type Expected, type HostileRow, template, testHostile } from '../testing/render-hostile.ts';

const limit = (words: RegExp): Expected => ({ code: 'TemplateLimitExceeded', words });
const renders = (text: RegExp): Expected => ({ text });
const failed = (words: RegExp): Expected => ({ code: 'HelmRenderFailed', words });

/** An expression at `$d` after actions that made it. */
const on = (make: string, expression: string): string => `${make}a: {{ ${expression} }}`;
const cycle = '{{ $d := dict "k" "v" }}{{ $_ := set $d "a" $d }}';
const deep = '{{ $d := dict }}{{ range until 20000 }}{{ $d = dict "a" $d }}{{ end }}';
const doubled = '{{ $d := dict "a" 1 }}{{ range until 40 }}{{ $d = dict "l" $d "r" $d }}{{ end }}';
const forEver = '{{ range until 20000 }}';
/** One key takes as many steps as a loop of ten thousand rounds. */
const fewSteps = { steps: 25_000 };

const rows: readonly HostileRow[] = [
  ...(
    [
      ['include of itself', '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}', limit(/depth/)],
      ['template of itself', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', limit(/depth/)],
      [
        'include in turn',
        '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
        limit(/depth/),
      ],
      [
        'include that doubles',
        `{{ define "a0" }}aaaaaaaaaa{{ end }}${Array.from({ length: 12 }, (_, i) => `{{ define "a${i + 1}" }}${`{{ include "a${i}" . }}`.repeat(10)}{{ end }}`).join('')}{{ include "a12" . }}`,
        limit(/string|output|steps/),
      ],
      [
        'tpl of ever new texts',
        `{{ range $i, $_ := until 100000 }}{{ $x := tpl (printf "%s%d" (repeat 1000 "x") $i) $ }}{{ end }}`,
        limit(/the limit on/),
      ],
      ['repeat', 'a: {{ repeat 1000000000 "a" }}', limit(/string/)],
      [
        'loops in loops',
        '{{ range until 10000 }}{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}{{ end }}',
        limit(/steps/),
      ],
      ['until', '{{ range until 1000000000 }}{{ end }}', limit(/list/)],
      ['seq', '{{ seq 1 1000000000 | len }}', limit(/list/)],
      ['a range over a number', '{{ range 1000000000 }}{{ end }}', limit(/steps/)],
      ['append without end', '{{ $l := list }}{{ range until 100000 }}{{ $l = append $l 1 }}{{ end }}', limit(/steps/)],
      ['a width of printf', 'a: {{ printf "%1000000000d" 1 | quote }}', renders(/^a: /)],
      ['a width that is an argument', 'a: {{ printf "%*d" 1000000000 1 | quote }}', renders(/BADWIDTH/)],
      ['a precision of printf', 'a: {{ printf "%.1000000000f" 1.5 | quote }}', renders(/^a: /)],
      ['indent', 'a: {{ indent 1000000000 "a" }}', limit(/string/)],
      ['nindent', 'a: {{ nindent 1000000000 "a" }}', limit(/string/)],
      [
        'a pattern that backtracks',
        'a: {{ regexMatch "(a+)+$" (print (repeat 100000 "a") "!") }}',
        renders(/a: false/),
      ],
      [
        'a pattern of many states',
        'a: {{ regexMatch "(a{0,1000}b{0,1000}c{0,1000}){0,1}$" (repeat 900000 "a") }}',
        limit(/regex/),
      ],
      ['a pattern that counts too far', 'a: {{ mustRegexMatch "((a{1,100}){1,100}){1,100}" "aaa" }}', failed(/repeat/)],
      ['a pattern of many matches', 'a: {{ regexFindAll "" (repeat 900000 "a") -1 | len }}', limit(/list|steps/)],
      [
        'replacing that grows',
        'a: {{ regexReplaceAll "a" (repeat 10000 "a") (repeat 1000 "b") | len }}',
        limit(/string/),
      ],
      ['keys without end', `${forEver}{{ $x := genPrivateKey "rsa" }}{{ end }}`, limit(/steps/)],
      ['certificates without end', `${forEver}{{ $x := genCA "a" 1 }}{{ end }}`, limit(/steps/)],
      ['password hashes without end', `${forEver}{{ $x := htpasswd "a" "b" }}{{ end }}`, limit(/steps/)],
      [
        'derived passwords without end',
        `${forEver}{{ $x := derivePassword 1 "long" "a" "b" "c" }}{{ end }}`,
        limit(/steps/),
      ],
      ['random text', 'a: {{ randAlphaNum 1000000000 }}', limit(/string/)],
      ['letters one by one', 'a: {{ snakecase (repeat 200000 "aB") | len }}', limit(/list/)],
      ['JSON that nests', 'a: {{ fromJson (repeat 900000 "[") | len }}', renders(/a: 1/)],
      ['YAML that nests', 'a: {{ fromYaml (repeat 900000 "[") | len }}', renders(/a: 1/)],
      ['TOML that nests', 'a: {{ fromToml (print "a=" (repeat 900000 "[")) | len }}', renders(/a: 1/)],
      ['TOML with long names', 'a: {{ fromToml (print (repeat 400000 "a.") "b=1") | len }}', renders(/a: 1/)],
      ['a version of many digits', 'a: {{ semver (repeat 900000 "9") }}', failed(/version|semver/i)],
      [
        'a range of many versions',
        'a: {{ semverCompare (print (repeat 50000 ">=1.0.0 || ") "<1") "0.2.3" }}',
        failed(/too long/),
      ],
      ['a number of many digits', 'a: {{ int (repeat 900000 "9") }}', renders(/^a: /)],
      ['a number with a huge exponent', 'a: {{ float64 (print "1e" (repeat 900000 "9")) }}', renders(/^a: /)],
      ['a duration of many digits', 'a: {{ duration (repeat 900000 "9") }}', renders(/^a: /)],
      ['a layout of many years', 'a: {{ date (repeat 200000 "2006") (toDate "2006" "2020") | len }}', renders(/^a: /)],
      [
        'an address of many parts',
        'a: {{ urlParse (print "http://h/" (repeat 300000 "../")) | len }}',
        renders(/^a: /),
      ],
      [
        'Files out of the chart',
        'a: "{{ .Files.Get "../../etc/passwd" }}{{ .Files.Get "/etc/passwd" }}"',
        renders(/^a: ""$/),
      ],
      ['CVE-2023-25165: no name is looked up', 'a: "{{ getHostByName "secret.example.org" }}"', renders(/^a: ""$/)],
      ['CVE-2020-11013: no cluster is read', 'a: {{ lookup "v1" "Secret" "default" "x" | len }}', renders(/^a: 0$/)],
      ['the environment is not read', 'a: {{ env "HOME" }}', failed(/function "env" not defined/)],
    ] as const
  ).map(
    ([name, text, expected]): HostileRow => [
      name,
      { ...template(text), ...(text.startsWith(forEver) ? { limits: fewSteps } : {}) },
      expected,
    ],
  ),
  ['tpl of itself', template('{{ tpl .Values.t . }}', { 'values.yaml': 't: "{{ tpl .Values.t . }}"' }), limit(/depth/)],
  ['CVE-2026-63308: lines of an empty file', template('a: {{ .Files.Lines "f" | len }}', { f: '' }), renders(/^a: 0$/)],
  [
    'a pattern for files that backtracks',
    template('a: {{ .Files.Glob "*a*a*a*a*a*a*a*a*a*b" | len }}', { ['a'.repeat(200)]: 'x' }),
    renders(/^a: 0$/),
  ],
  [
    'alternatives for files that multiply',
    template(`a: {{ .Files.Glob "${'{a,a,a}'.repeat(40)}b" | len }}`, { ['a'.repeat(40)]: 'x' }),
    renders(/^a: 0$/),
  ],
  ...[
    'toToml $d',
    'print $d',
    'printf "%#v" $d',
    'deepCopy $d | len',
    'deepEqual $d (deepCopy $d)',
    'merge (dict) $d | toJson',
    'include "x" $d',
  ].map(
    (expression): HostileRow => [
      `a map in itself: ${expression}`,
      template(on(`{{ define "x" }}{{ .k }}{{ end }}${cycle}`, expression)),
      expression.includes('include') || expression.startsWith('print') || expression.startsWith('merge')
        ? renders(/^a: /)
        : limit(/depth|stack|steps|copies|string/),
    ],
  ),
  ...['toYaml $d', 'toJson $d'].map(
    (expression): HostileRow => [`a map in itself: ${expression}`, template(on(cycle, expression)), renders(/^a: $/)],
  ),
  ...['toToml $d', 'mergeOverwrite (dict) (dict "x" $d) | len'].map(
    (expression): HostileRow => [
      `a deep map: ${expression}`,
      template(on(deep, expression)),
      expression.startsWith('merge') ? renders(/^a: 1/) : limit(/depth|stack/),
    ],
  ),
  ...[
    'toYaml $d | len',
    'toJson $d | len',
    'deepCopy $d | len',
    'merge (dict "l" (dict "x" 1)) $d | toYaml | len',
    'print $d | len',
    'toToml $d | len',
  ].map(
    (expression): HostileRow => [
      `a map of maps that are the same: ${expression}`,
      template(on(doubled, expression)),
      limit(/copies|steps|string/),
    ],
  ),
  ...(
    [
      ['parentheses', `{{ ${'('.repeat(1e6)} }}`, failed(/max expression depth/)],
      ['conditions', '{{ if 1 }}'.repeat(1e5), failed(/max control structure depth|unexpected EOF/)],
      ['actions', '{{ 1 }}'.repeat(1e6), limit(/parts/)],
      ['arguments', `{{ and ${'1 '.repeat(1e6)} }}`, limit(/parts/)],
      [
        'definitions',
        Array.from({ length: 20_000 }, (_, i) => `{{ define "d${i}" }}x{{ end }}`).join(''),
        renders(/^$/),
      ],
      ['fields', `{{ ${'.a'.repeat(300_000)} }}`, failed(/not set/)],
      ['digits', `{{ ${'9'.repeat(1e6)} }}`, failed(/illegal number syntax/)],
    ] as const
  ).map(([name, text, expected]): HostileRow => [`a template of very many ${name}`, template(text), expected]),
];

testHostile(rows);
