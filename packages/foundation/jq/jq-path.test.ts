import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject } from './is-object.ts';
import { parseJqPath, removePaths } from './jq-path.ts';

const object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    annotations: { 'a.b/c': '1', other: 'x', 'last-applied': '{"x":1}' },
    labels: { app: 'web', tier: 'front' },
    generation: 3,
  },
  spec: {
    replicas: 2,
    paused: false,
    nothing: null,
    template: {
      metadata: { annotations: { t: '2024-01-01T00:00:00Z' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'app:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', valueFrom: { x: 1 } },
            ],
            ports: [80, 443],
            resources: { limits: { cpu: '1000m' } },
          },
          { name: 'istio-proxy', image: 'proxy:2', env: [] },
        ],
        initContainers: [{ name: 'istio-init', args: ['-p', '15001'] }],
        volumes: [{ name: 'v', emptyDir: {} }, { name: 'kube-api-access-x' }],
      },
    },
  },
  webhooks: [
    { name: 'one', clientConfig: { caBundle: 'AAA' } },
    { name: 'two', clientConfig: {} },
  ],
  data: { 'config.yaml': 'key: value\n', n: 5 },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

/** A program, and the fields that it takes out of the object; what gojq takes out, but for names that only jq has. */
const table: readonly (readonly [program: string, removed: string])[] = [
  ['.spec.replicas', '.spec.replicas'],
  ['.spec["replicas"]', '.spec.replicas'],
  ['."spec"."replicas"', '.spec.replicas'],
  ['.metadata.annotations["a.b/c"]', '.metadata.annotations."a.b/c"'],
  ['.metadata.annotations."a.b/c"', '.metadata.annotations."a.b/c"'],
  ['.webhooks[].clientConfig.caBundle', '.webhooks[0].clientConfig.caBundle'],
  ['.webhooks[]?.clientConfig.caBundle', '.webhooks[0].clientConfig.caBundle'],
  ['.missing[].x', 'nothing'],
  ['.missing[]?.x', 'nothing'],
  ['.spec.template.spec.containers[] | select(.name == "istio-proxy")', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.containers[] | select(.name | startswith("istio"))', '.spec.template.spec.containers[1]'],
  [
    '.spec.template.spec.containers[] | select(.name | test("^istio-")) | .image',
    '.spec.template.spec.containers[1].image',
  ],
  [
    '.spec.template.spec.initContainers[] | select(.name == "istio-init" or .name == "x")',
    '.spec.template.spec.initContainers[0]',
  ],
  [
    '.spec.template.spec.containers[].env[] | select(.name == "A" and .value != "2")',
    '.spec.template.spec.containers[0].env[0]',
  ],
  ['.spec.template.spec.containers[0].ports[1]', '.spec.template.spec.containers[0].ports[1]'],
  ['.spec.template.spec.containers[-1]', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.containers[0:1]', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[1:]', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.volumes[] | select(.name | contains("kube-api"))', '.spec.template.spec.volumes[1]'],
  ['.metadata.annotations | to_entries[] | select(.key | startswith("a")) | .value', 'nothing'],
  ['.metadata.labels | keys', 'nothing'],
  ['.metadata.labels[]', '.metadata.labels.app .metadata.labels.tier'],
  ['.metadata.labels | select(has("app")) | .tier', '.metadata.labels.tier'],
  ['.. | .image? // empty', '.spec.template.spec.containers[0].image .spec.template.spec.containers[1].image'],
  ['..|objects|.caBundle', '.webhooks[0].clientConfig.caBundle'],
  ['.. | select(type == "object" and has("cpu")) | .cpu', '.spec.template.spec.containers[0].resources.limits.cpu'],
  ['paths', 'nothing'],
  ['path(..)', 'nothing'],
  ['getpath(["spec","replicas"])', '.spec.replicas'],
  ['getpath(["spec","template","metadata"])', '.spec.template.metadata'],
  ['.spec | with_entries(.)', 'nothing'],
  ['first(.webhooks[])', '.webhooks[0]'],
  ['last(.webhooks[])', '.webhooks[1]'],
  ['limit(1; .webhooks[])', '.webhooks[0]'],
  ['.webhooks | first', '.webhooks[0]'],
  ['.webhooks | last | .name', '.webhooks[1].name'],
  ['.webhooks[1,0].name', '.webhooks[0].name .webhooks[1].name'],
  ['.spec.replicas, .spec.paused', '.spec.replicas .spec.paused'],
  ['(.spec.replicas, .spec.paused)', '.spec.replicas .spec.paused'],
  ['.spec | (.replicas, .template.metadata)', '.spec.replicas .spec.template.metadata'],
  ['if .spec.replicas > 1 then .spec.replicas else .kind end', '.spec.replicas'],
  [
    'if .spec.replicas > 5 then .spec.replicas elif .kind == "Deployment" then .spec.paused else .kind end',
    '.spec.paused',
  ],
  ['if .spec.paused then .kind end', 'nothing'],
  ['.spec.replicas as $r | .spec.template', '.spec.template'],
  [
    '.spec.template.spec.containers[] | . as $c | select($c.name == "main") | .image',
    '.spec.template.spec.containers[0].image',
  ],
  ['.spec.template.spec as {containers: [$a, $b]} | .spec.template.spec.volumes', '.spec.template.spec.volumes'],
  ['reduce ("spec","replicas") as $k (.; .[$k])', '.spec.replicas'],
  ['def f: .spec; f.replicas', '.spec.replicas'],
  ['def f(g): g | .replicas; f(.spec)', '.spec.replicas'],
  ['def f($k): .[$k]; f("spec").replicas', '.spec.replicas'],
  ['.spec["repl" + "icas"]', '.spec.replicas'],
  ['.["spec"]["replicas"]', '.spec.replicas'],
  ['try .missing[] catch .', 'nothing'],
  ['try error("x") catch .spec', 'nothing'],
  ['.spec.nothing', '.spec.nothing'],
  ['.spec.nothing.deeper', 'nothing'],
  ['.spec.replicas.deeper', 'nothing'],
  ['.spec.replicas[]', 'nothing'],
  ['.a.b.c', 'nothing'],
  ['.data["config.yaml"]', '.data."config.yaml"'],
  ['.data | .n', '.data.n'],
  ['.status.conditions[] | select(.type=="Ready") | .status', '.status.conditions[0].status'],
  ['.status.conditions | map(select(.type == "Ready"))', 'nothing'],
  ['.status.conditions | .[] | select(.status == ("True","False"))', '.status.conditions[0] .status.conditions[1]'],
  ['.status.conditions[] | select(any(.type, .status; . == "Ready"))', '.status.conditions[0]'],
  ['.status.conditions[] | select([.type] | inside(["Ready","X"]))', '.status.conditions[0]'],
  ['.status.conditions[] | select(.type | IN("Ready", "X"))', '.status.conditions[0]'],
  ['.status.conditions[] | select(.type | ascii_downcase == "ready")', '.status.conditions[0]'],
  ['.status.conditions[] | select(.type as $t | ["Ready"] | index($t))', '.status.conditions[0]'],
  ['.status.conditions[] | select((.type | length) > 5)', 'nothing'],
  ['.metadata | .annotations, .labels | .other', '.metadata.annotations.other'],
  ['.metadata | (.annotations, .labels) | .other', '.metadata.annotations.other'],
  ['.metadata.annotations | to_entries | map(select(.key != "x"))', 'nothing'],
  ['.metadata.annotations[("a.b/c", "other")]', '.metadata.annotations."a.b/c" .metadata.annotations.other'],
  ['.metadata.generation // .kind', '.metadata.generation'],
  ['.missing // .kind', '.kind'],
  ['(.missing // .metadata) | .name', '.metadata.name'],
  ['.spec.paused // .kind', '.kind'],
  ['empty', 'nothing'],
  ['error', 'nothing'],
  ['.spec.template.spec.containers[] | select(.env | length == 0)', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.containers[] | select(.ports[]? == 443)', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select(.ports != null)', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select(has("ports") | not)', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.containers[].resources.limits.cpu', '.spec.template.spec.containers[0].resources.limits.cpu'],
  [
    '.spec.template.spec.containers[] | .resources?.limits?.cpu?',
    '.spec.template.spec.containers[0].resources.limits.cpu',
  ],
  ['recurse', 'nothing'],
  ['recurse(.spec?)', 'refused: its functions call each other too deeply'],
  ['recurse(.spec?; . != null) | .replicas?', '.spec.replicas'],
  ['.spec | recurse | select(. == "main")', '.spec.template.spec.containers[0].name'],
  ['label $out | .webhooks[] | (., break $out)', '.webhooks[0]'],
  ['foreach .webhooks[] as $w (0; .+1)', 'nothing'],
  ['[.spec]', 'nothing'],
  ['{a: .spec}', 'nothing'],
  ['"x"', 'nothing'],
  ['1', 'nothing'],
  ['.spec | del(.replicas)', 'nothing'],
  ['.spec | .replicas |= 1', 'nothing'],
  ['.spec.template.spec.containers | sort_by(.name)', 'nothing'],
  [
    '.spec.template.spec.containers | .[] | select(.name | match("m(.)in") | .captures[0].string == "a")',
    '.spec.template.spec.containers[0]',
  ],
  [
    '.spec.template.spec.containers[] | select(.name | capture("(?<x>^m)") | .x == "m")',
    '.spec.template.spec.containers[0]',
  ],
  ['.spec.template.spec.containers[] | select(.image | split(":") | .[1] == "1")', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select(.image | sub(":.*"; "") == "app")', '.spec.template.spec.containers[0]'],
  [
    '.spec.template.spec.containers[] | select(.image | gsub("[a-z]"; "") == ":1")',
    '.spec.template.spec.containers[0]',
  ],
  ['.spec.template.spec.containers[] | select(.name | @base64 == "bWFpbg==")', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select("\\(.name):x" == "main:x")', '.spec.template.spec.containers[0]'],
  [
    '.spec.template.spec.containers[] | select([.env[].name] | join(",") == "A,B")',
    '.spec.template.spec.containers[0]',
  ],
  [
    '.spec.template.spec.containers[] | select(.env | map(.name) | unique | length == 2)',
    '.spec.template.spec.containers[0]',
  ],
  ['.spec.template.spec.containers[] | select(.env | any(.name == "B"))', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select(all(.env[]; .name != "B"))', '.spec.template.spec.containers[1]'],
  [
    '.spec.template.spec.containers[] | select(.env | min_by(.name) | .name == "A")',
    '.spec.template.spec.containers[0]',
  ],
  [
    '.spec.template.spec.containers[] | select(.env | group_by(.name) | length > 1)',
    '.spec.template.spec.containers[0]',
  ],
  ['.metadata.annotations["last-applied"] | fromjson | .x', 'nothing'],
  ['.metadata.annotations | .["last-applied"]', '.metadata.annotations."last-applied"'],
  ['.spec | to_entries[] | .value', 'nothing'],
  ['.spec | keys[] as $k | .[$k]', '.spec.replicas .spec.paused .spec.nothing .spec.template'],
  ['.spec | keys_unsorted[] as $k | select($k | startswith("r")) | .[$k]', '.spec.replicas'],
  ['. as $o | .spec | select($o.kind == "Deployment") | .replicas', '.spec.replicas'],
  [
    '.spec.template | .metadata.annotations.t, .spec.volumes[0]',
    '.spec.template.metadata.annotations.t .spec.template.spec.volumes[0]',
  ],
  ['$ENV', 'nothing'],
  ['input', 'refused: there is no function input/0'],
  ['now', 'refused: there is no function now/0'],
  ['@base32d', 'nothing'],
  ['.[', 'refused: it ends too early'],
  ['.a |', 'refused: it ends too early'],
  ['foo', 'refused: there is no function foo/0'],
  ['.a as | .b', 'refused: "|" at column 7 is not expected; wanted {'],
  ['..a', 'refused: "a" at column 3 is not expected'],
  ['.a.[0]', 'nothing'],
  ['.webhooks.[0]', '.webhooks[0]'],
  ['.spec.template.spec.containers[?]', 'refused: "?" at column 32 is not expected'],
  ['.spec[]', '.spec.replicas .spec.paused .spec.nothing .spec.template'],
  ['.spec[]?', '.spec.replicas .spec.paused .spec.nothing .spec.template'],
  ['.[]', '.apiVersion .kind .metadata .spec .webhooks .data .status'],
  ['.[]?', '.apiVersion .kind .metadata .spec .webhooks .data .status'],
  ['.spec|.template|.spec|.volumes[]|select(.emptyDir!=null)', '.spec.template.spec.volumes[0]'],
  [
    '.spec.template.spec.containers[]|select(.name=="main")|.env[]|select(.name=="A")|.value',
    '.spec.template.spec.containers[0].env[0].value',
  ],
  [
    '.spec.template.spec.containers[] | select(.resources.limits.cpu | tostring | endswith("m"))',
    '.spec.template.spec.containers[0]',
  ],
  [
    '.spec.template.spec.containers[] | select(.resources.limits.cpu != null and (.resources.limits.cpu | rtrimstr("m") | tonumber) >= 1000)',
    '.spec.template.spec.containers[0]',
  ],
  ['.webhooks[] | select(.name != "one")', '.webhooks[1]'],
  ['.webhooks[] | .clientConfig | .caBundle', '.webhooks[0].clientConfig.caBundle'],
  ['.spec.template.metadata.annotations | select(. != null) | .t', '.spec.template.metadata.annotations.t'],
  ['until(.spec == null; .spec)', '.spec'],
  ['[range(3)]', 'nothing'],
  ['.webhooks[range(2)].name', '.webhooks[0].name .webhooks[1].name'],
  ['.webhooks[length]', 'nothing'],
  ['to_entries', 'nothing'],
  ['.spec.template.spec.containers | to_entries[] | select(.value.name == "main") | .key', 'nothing'],
  ['walk(.)', 'nothing'],
  ['tojson', 'nothing'],
  ['splits("x")', 'nothing'],
  ['.webhooks | nth(1)', '.webhooks[1]'],
  ['nth(0; .webhooks[])', '.webhooks[0]'],
  ['.metadata.labels | pick(.app)', 'nothing'],
  ['.spec | has("replicas")', 'nothing'],
  ['.spec.replicas == 2', 'nothing'],
  ['-(.spec.replicas)', 'nothing'],
  ['.spec.template.spec.containers[] | select(.name|test("MAIN"; "i"))', '.spec.template.spec.containers[0]'],
  ['.spec.template.spec.containers[] | select(.name|test("["))', 'nothing'],
  ['.metadata.labels | map_values(.)', 'nothing'],
  ['.metadata.labels | with_entries(select(.key == "app"))', 'nothing'],
  ['leaf_paths', 'nothing'],
  ['paths(type == "number")', 'nothing'],
  ['.spec.template.spec.containers | first(.[] | select(.name == "istio-proxy"))', '.spec.template.spec.containers[1]'],
  ['.spec.template.spec.containers | while(length > 1; .[1:])', '.spec.template.spec.containers'],
  ['isempty(.x)', 'nothing'],
  ['.spec.template.spec.containers | map(.name) | index("main")', 'nothing'],
  [
    '.spec | .template.spec | .containers, .volumes | .[] | select(.name == "v" or .name == "main") | .name',
    '.spec.template.spec.containers[0].name .spec.template.spec.volumes[0].name',
  ],
];

/** The places in `a` that `b` has not any more. */
function missing(a: unknown, b: unknown, at = ''): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length === b.length) return a.flatMap((item, i) => missing(item, b[i], `${at}[${i}]`));
    const left = b.map((item) => JSON.stringify(item));
    return a.flatMap((item, i) => {
      const found = left.indexOf(JSON.stringify(item));
      if (found < 0) return [`${at}[${i}]`];
      left.splice(found, 1);
      return [];
    });
  }
  if (!isObject(a) || !isObject(b)) return [at];
  return Object.keys(a).flatMap((key) => {
    const place = `${at}.${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}`;
    return key in b ? missing(a[key], b[key], place) : [place];
  });
}

describe('ignoring by jq', () => {
  for (const [program, removed] of table) {
    it(program, () => {
      const { path, reason } = parseJqPath(program);
      if (!path) return assert.equal(`refused: ${reason}`, removed);
      const before = structuredClone(object);
      const { value } = removePaths(object, path);
      assert.deepEqual(object, before, 'what is given stays as it is');
      return assert.equal(missing(object, value).join(' ') || 'nothing', removed);
    });
  }

  it('stops what does not end or takes too much, whatever the object', () => {
    const endless = [
      'def f: f; f',
      'def f: f | f; f',
      'repeat(.)',
      'until(false; .)',
      '[range(1e12)]',
      '[limit(1e12; repeat(1))]',
      'reduce range(1e9) as $x (""; . + "xxxxxxxxxxxxxxxx")',
      '"x" | until(false; . + .)',
      '[1] | until(false; . + .)',
      '{} | until(false; {a: ., b: .})',
      '[limit(60; [1] | repeat([., .]))] | last | tojson',
      '[limit(60; [1] | repeat([., .]))] | .[-1] == .[-2]',
      'reduce range(1e6) as $i ([]; .[$i] = $i)',
      'reduce range(1e6) as $i ([]; . + [$i])',
      '[range(20000)] | . - .',
      'try error(repeat(1)) catch repeat(1)',
      '.a // repeat(.)',
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" | until(test("(a*)*b"); . + .)',
    ];
    for (const program of endless) {
      const { path, reason } = parseJqPath(program);
      assert.equal(path, undefined, program);
      assert.match(reason, /takes too many steps|too deep|too long|too large/, program);
    }
    const onlyHere = parseJqPath('.spec | if . then repeat(.) else empty end').path;
    assert.ok(onlyHere);
    assert.match(removePaths(object, onlyHere).problem ?? '', /takes too many steps|too deep/);
  });
});
