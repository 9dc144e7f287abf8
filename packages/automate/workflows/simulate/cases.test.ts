import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { Pod, WorkflowSpec } from '../model/types.ts';
import type { Fate } from './fate.ts';
import { Simulation } from './simulation.ts';

const templates = `
  {name: say, inputs: {parameters: [{name: m, default: dd}]}, container: {image: a, command: [echo]}},
  {name: c, container: {image: a, command: [x]}},
  {name: daemon, daemon: true, container: {image: a, command: [x]}},
  {name: scr, script: {image: a, command: [sh], source: x}},
  {name: out, container: {image: a, command: [x]}, outputs: {parameters: [{name: o, valueFrom: {path: /o}}]}},
  {name: global, container: {image: a, command: [x]}, outputs: {parameters: [{name: o, globalName: gg, valueFrom: {path: /o}}]}},
  {name: again, retryStrategy: {limit: 1}, dag: {tasks: [{name: b, template: say, arguments: {parameters: [{name: m, value: "{{retries}}"}]}}]}},
  {name: flaky, retryStrategy: {limit: 1}, container: {image: a, command: [x]}, outputs: {parameters: [{name: o, valueFrom: {path: /o}}]}},
  {name: bye, inputs: {parameters: [{name: m, value: "{{workflow.status}} {{=workflow.status == 'Failed' ? 'bad' : 'good'}}"}]}, container: {image: a, command: [x]}},
  {name: ask, suspend: {duration: 5s}, outputs: {parameters: [{name: p, valueFrom: {supplied: {}, default: pp}}]}},
  {name: memo, memoize: {key: "k-{{workflow.name}}", maxAge: 10s, cache: {configMap: {name: cache}}}, container: {image: a, command: [x]}},
  {name: locked, inputs: {parameters: [{name: m}]}, synchronization: {mutexes: [{name: "l-{{inputs.parameters.m}}"}]}, container: {image: a, command: [x]}},
  {name: http, http: {url: "http://localhost/"}}`;
const args = `arguments: {parameters: [{name: x, value: x}, {name: num, value: 3}, {name: list, value: '["a","b"]'}]}`;
const spec = (main: string, more = '') =>
  `{${more} entrypoint: main, ${args}, templates: [{name: main, ${main}}, ${templates}]}`;
const main = (fields: string, more = '') => spec(fields, more);
const steps = (...groups: string[]) => spec(`steps: [${groups.map((group) => `[${group}]`).join(', ')}]`);
const dag = (tasks: string, more = '') => spec(`dag: {${more} tasks: [${tasks}]}`);
const outputs = (parameters: string) =>
  spec(
    `steps: [[{name: a, template: out}, {name: not, template: out, when: "false"}]], outputs: {parameters: [${parameters}]}`,
  );
/** A step that says a text. */
const call = (text: string) =>
  `{name: z, template: say, arguments: {parameters: [{name: m, value: ${JSON.stringify(text)}}]}}`;

/** How a workflow ends and after how many seconds, and then its nodes but groups: phases, what they were given and what they gave. */
function outcome(text: string, fates: Readonly<Record<string, Fate>>): string {
  const written = parseDocuments(text, { file: 'w.yaml' }).documents[0]?.value as unknown as WorkflowSpec;
  const metadata = { name: 'w', namespace: 'ns', uid: 'u', labels: { l: 'v' } };
  const workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec: written } as never;
  const fate = (pod: Pod) => {
    const name = pod.metadata.annotations?.['workflows.argoproj.io/node-name'] ?? '';
    return Object.entries(fates).find(([part]) => name.includes(part))?.[1];
  };
  const simulation = new Simulation({ workflow, fate }).run();
  const { phase, message, nodes = {} } = simulation.workflow.status ?? {};
  const seconds = Math.round((simulation.now - simulation.start) / 1000);
  const told = Object.values(nodes)
    .filter(({ type }) => type !== 'StepGroup' && type !== 'TaskGroup')
    .map((node) => {
      const pod = [...simulation.pods.values()].find(
        ({ pod: { metadata } }) => metadata.annotations?.['workflows.argoproj.io/node-id'] === node.id,
      )?.pod;
      const { args: given = [] } = pod?.spec.containers.find(({ name }) => name === 'main') ?? {};
      const m = node.inputs?.parameters?.find(({ name, value }) => name === 'm' && value !== 'dd')?.value;
      const gave =
        node.type === 'Pod' ? [] : (node.outputs?.parameters ?? []).map(({ name, value }) => `${name}=${value}`);
      const own = given.filter((arg) => !arg.startsWith('/argo/'));
      return [node.name, node.phase, ...(m === undefined ? [] : [String(m)]), ...own, ...gave].join(' ');
    });
  const why = phase === 'Error' && message ? `: ${message.split('\n')[0]}` : '';
  return [`${phase} ${seconds} s${why}`, ...told].join(' | ');
}

const rows: readonly (readonly [what: string, spec: string, fates: Record<string, Fate>, ends: string])[] = [
  [
    'depends of names with - by && and !',
    dag(
      '{name: a-1, template: c}, {name: b, template: c}, {name: x, template: c, depends: "a-1.Succeeded && b.Failed"}, {name: z, template: c, depends: "a-1 && !x.Succeeded"}',
    ),
    {},
    'Succeeded 2 s | w Succeeded | w.a-1 Succeeded | w.b Succeeded | w.x Omitted | w.z Succeeded',
  ],
  [
    'depends of what was omitted and what failed',
    dag(
      '{name: a, template: c}, {name: b, template: c, depends: a}, {name: d, template: c, depends: b.Omitted}, {name: e, template: c, depends: "(a.Failed || a.Errored) && !b.Succeeded"}',
    ),
    { '.a': { exit: 1 } },
    'Succeeded 2 s | w Succeeded | w.a Failed | w.b Omitted | w.d Succeeded | w.e Succeeded',
  ],
  [
    'dependencies of what was skipped',
    dag(
      '{name: a, template: c, when: "false"}, {name: b, template: c, dependencies: [a]}, {name: d, template: c, dependencies: [b]}',
    ),
    {},
    'Succeeded 2 s | w Succeeded | w.a Skipped | w.b Succeeded | w.d Succeeded',
  ],
  [
    'AnySucceeded and AllFailed of a loop',
    dag(
      '{name: a, template: say, withItems: [1, 2]}, {name: b, template: c, depends: a.AnySucceeded}, {name: d, template: c, depends: a.AllFailed}',
    ),
    { 'a(0': { exit: 1 } },
    'Failed 2 s | w Failed | w.a(0:1) Failed | w.a(1:2) Succeeded | w.b Succeeded | w.d Omitted',
  ],
  [
    'Errored of a pod that is gone',
    dag(
      '{name: a, template: c}, {name: b, template: c, depends: a.Errored}, {name: d, template: c, depends: a.Failed}',
    ),
    { '.a': { loss: 'lost' } },
    'Error 11 s | w Error | w.a Error | w.b Succeeded | w.d Omitted',
  ],
  [
    'Daemoned',
    dag('{name: a, template: daemon}, {name: b, template: c, depends: a.Daemoned}'),
    { '.a': { run: 1000 } },
    'Succeeded 1 s | w Succeeded | w.a Succeeded | w.b Succeeded',
  ],
  [
    'a target from a parameter',
    dag(
      '{name: a, template: c}, {name: b, template: c, dependencies: [a]}, {name: x, template: c}',
      'target: "a {{workflow.parameters.x}}",',
    ),
    {},
    'Succeeded 1 s | w Succeeded | w.a Succeeded | w.x Succeeded',
  ],
  [
    'failFast false goes on',
    dag(
      '{name: a, template: c}, {name: b, template: c}, {name: d, template: c, dependencies: [b]}',
      'failFast: false,',
    ),
    { '.a': { exit: 1 } },
    'Failed 2 s | w Failed | w.a Failed | w.b Succeeded | w.d Succeeded',
  ],
  [
    'continueOn of the other way of failing',
    dag('{name: a, template: c, continueOn: {error: true}}, {name: b, template: c, dependencies: [a]}'),
    { '.a': { exit: 1 } },
    'Failed 1 s | w Failed | w.a Failed | w.b Omitted',
  ],
  [
    'continueOn of a loop',
    dag(
      '{name: a, template: c, withItems: [1, 2], continueOn: {failed: true}}, {name: b, template: c, dependencies: [a]}',
    ),
    { 'a(0': { exit: 1 } },
    'Succeeded 2 s | w Succeeded | w.a(0:1) Failed | w.a(1:2) Succeeded | w.b Succeeded',
  ],
  [
    'steps beside one that failed',
    steps('{name: a, template: c}, {name: b, template: c}', '{name: d, template: c}'),
    { '.a': { exit: 1 }, '.b': { run: 5 } },
    'Failed 5 s | w Failed | w[0].a Failed | w[0].b Succeeded',
  ],
  [
    'what a step was',
    steps(
      '{name: a, template: out, continueOn: {failed: true}}',
      call('{{steps.a.status}} {{steps.a.exitCode}} {{steps.a.startedAt}} {{=steps.a.status + "!"}}'),
    ),
    { '.a': { exit: 7 } },
    'Succeeded 2 s | w Succeeded | w[0].a Failed | w[1].z Succeeded Failed 7 2026-01-01T00:00:00Z Failed!',
  ],
  [
    'results of a loop',
    steps('{name: a, template: scr, withItems: [1, 2]}', call('{{steps.a.outputs.result}}')),
    { 'a(0': { outputs: { result: 'x' } }, 'a(1': { outputs: { result: '{"k":1}' } } },
    'Succeeded 2 s | w Succeeded | w[0].a(0:1) Succeeded | w[0].a(1:2) Succeeded | w[1].z Succeeded ["x",{"k":1}]',
  ],
  [
    'outputs of a loop',
    steps(
      '{name: a, template: out, withItems: [1, 2]}',
      call('{{steps.a.outputs.parameters.o}} {{steps.a.outputs.parameters}}'),
    ),
    { 'a(0': { outputs: { parameters: { o: 'x' } } }, 'a(1': { outputs: { parameters: { o: '5' } } } },
    'Succeeded 2 s | w Succeeded | w[0].a(0:1) Succeeded | w[0].a(1:2) Succeeded | w[1].z Succeeded ["x","5"] [{"o":"x"},{"o":"5"}]',
  ],
  [
    'withParam of results',
    steps(
      '{name: a, template: scr}',
      '{name: b, template: say, withParam: "{{steps.a.outputs.result}}", arguments: {parameters: [{name: m, value: "{{item.k}}-{{item.v}}"}]}}',
    ),
    { '.a': { outputs: { result: '[{"k":"q","v":1},{"k":"r","v":true}]' } } },
    'Succeeded 2 s | w Succeeded | w[0].a Succeeded | w[1].b(0:k:q,v:1) Succeeded q-1 | w[1].b(1:k:r,v:true) Succeeded r-true',
  ],
  [
    'withParam of nothing',
    steps(
      '{name: a, template: scr}',
      '{name: b, template: say, withParam: "{{steps.a.outputs.result}}"}',
      '{name: d, template: c}',
    ),
    { '.a': { outputs: { result: '[]' } } },
    'Succeeded 2 s | w Succeeded | w[0].a Succeeded | w[1].b Skipped | w[2].d Succeeded',
  ],
  [
    'withParam of an expression',
    steps(
      `{name: b, template: say, withParam: "{{=toJson(filter(fromJSON(workflow.parameters.list), {# != 'a'}))}}", arguments: {parameters: [{name: m, value: "{{item}}"}]}}`,
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b(0:b) Succeeded b',
  ],
  [
    'items of all kinds',
    steps(
      '{name: b, template: say, withItems: [a (b), 1, 2.5, true, {z: 1, k: [1, "<"]}, [1, a]], arguments: {parameters: [{name: m, value: "{{item}}"}]}}',
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b(0:a b) Succeeded a (b) | w[0].b(1:1) Succeeded 1 | w[0].b(2:2.5) Succeeded 2.5 | w[0].b(3:true) Succeeded true | w[0].b(4:k:[1,"<"],z:1) Succeeded {"k":[1,"\\u003c"],"z":1} | w[0].b(5:[1 a]) Succeeded [1,"a"]',
  ],
  [
    'a sequence that goes down, with a format',
    steps(
      '{name: b, template: say, withSequence: {start: "3", end: "1", format: "n%02X"}, arguments: {parameters: [{name: m, value: "{{item}}"}]}}',
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b(0:n03) Succeeded n03 | w[0].b(1:n02) Succeeded n02 | w[0].b(2:n01) Succeeded n01',
  ],
  [
    'a sequence of expressions',
    steps(
      '{name: b, template: say, withSequence: {start: "{{=1 + 1}}", count: "{{=asInt(workflow.parameters.num) - 1}}"}, arguments: {parameters: [{name: m, value: "{{=asInt(item) * 10}}"}]}}',
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b(0:2) Succeeded 20 | w[0].b(1:3) Succeeded 30',
  ],
  [
    'an empty sequence',
    steps('{name: b, template: say, withSequence: {count: 0}}', '{name: d, template: c}'),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b Skipped | w[1].d Succeeded',
  ],
  [
    'when of items',
    steps('{name: b, template: c, withItems: [1, 2, 3], when: "{{item}} > 1 && {{item}} != 3"}'),
    {},
    'Succeeded 1 s | w Succeeded | w[0].b(0:1) Skipped | w[0].b(1:2) Succeeded | w[0].b(2:3) Skipped',
  ],
  [
    'forms of when',
    steps(
      `{name: a, template: c, when: "'{{workflow.name}}' =~ '^w$'"}, {name: b, template: c, when: "{{workflow.name}} in ('x','w')"}, {name: d, template: c, when: "{{=workflow.name != 'w'}}"}, {name: e, template: c, when: "false || (1 < 2)"}, {name: f, template: c, when: "1 == '1'"}`,
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].a Succeeded | w[0].b Succeeded | w[0].d Skipped | w[0].e Succeeded | w[0].f Skipped',
  ],
  [
    'values of retries',
    main(
      'retryStrategy: {limit: 2}, container: {image: a, command: [x], args: ["{{retries}} {{lastRetry.exitCode}} {{lastRetry.status}} {{lastRetry.duration}} {{lastRetry.message}}"]}',
    ),
    { '(0)': { exit: 3 }, '(1)': { exit: 4, run: 7 } },
    'Succeeded 9 s | w Succeeded | w(0) Failed 0 0  0  | w(1) Failed 1 3 Failed 1 main: Error (exit code 3) | w(2) Succeeded 2 4 Failed 7 main: Error (exit code 4)',
  ],
  [
    'a limit from an input',
    main(
      'inputs: {parameters: [{name: l, value: "1"}]}, retryStrategy: {limit: "{{inputs.parameters.l}}"}, container: {image: a, command: [x]}',
    ),
    { w: { exit: 3 } },
    'Failed 2 s | w Failed | w(0) Failed | w(1) Failed',
  ],
  [
    'an expression alone retries errors too',
    main(
      'retryStrategy: {limit: 5, expression: "lastRetry.status == \'Error\' && asInt(lastRetry.duration) >= 0"}, container: {image: a, command: [x]}',
    ),
    { '(0)': { loss: 'lost' } },
    'Succeeded 11 s | w Succeeded | w(0) Error | w(1) Succeeded',
  ],
  [
    'a policy and an expression must both allow it',
    main('retryStrategy: {limit: 5, retryPolicy: OnFailure, expression: "true"}, container: {image: a, command: [x]}'),
    { '(0)': { loss: 'lost' } },
    'Error 10 s: pod deleted (not tried again: retryPolicy OnFailure is for Failed nodes, this one is in Error) | w Error | w(0) Error',
  ],
  [
    'a factor and a cap',
    main(
      'retryStrategy: {limit: 4, backoff: {duration: "2", factor: 3, cap: 10s}}, container: {image: a, command: [x]}',
    ),
    { w: { exit: 3 } },
    'Failed 33 s | w Failed | w(0) Failed | w(1) Failed | w(2) Failed | w(3) Failed | w(4) Failed',
  ],
  [
    'maxDuration',
    main(
      'retryStrategy: {limit: 10, backoff: {duration: 10s, factor: 2, maxDuration: 40s}}, container: {image: a, command: [x]}',
    ),
    { w: { exit: 3 } },
    'Failed 33 s | w Failed | w(0) Failed | w(1) Failed | w(2) Failed',
  ],
  [
    'retries of a dag',
    steps('{name: a, template: again}'),
    { 'a(0)': { exit: 1 } },
    'Succeeded 2 s | w Succeeded | w[0].a Succeeded | w[0].a(0) Failed | w[0].a(0).b Failed 0 | w[0].a(1) Succeeded | w[0].a(1).b Succeeded 1',
  ],
  [
    'what a retried step gave',
    steps('{name: a, template: flaky}', call('{{steps.a.outputs.parameters.o}} {{steps.a.exitCode}}')),
    { 'a(0)': { exit: 1 }, 'a(1)': { outputs: { parameters: { o: 'oo' } } } },
    'Succeeded 3 s | w Succeeded | w[0].a Succeeded o=oo | w[0].a(0) Failed | w[0].a(1) Succeeded | w[1].z Succeeded oo 0',
  ],
  [
    'the exit handler is told how it went',
    main('container: {image: a, command: [x]}', 'onExit: bye,'),
    { onExit: {}, w: { exit: 2 } },
    'Failed 2 s | w Failed | w.onExit Succeeded Failed bad',
  ],
  [
    'hooks of a step',
    steps(
      `{name: a, template: c, hooks: {run: {template: say, expression: "steps.a.status == 'Running'"}, bad: {template: say, expression: "steps.a.status == 'Failed'"}, exit: {template: say, arguments: {parameters: [{name: m, value: "{{steps.a.status}}"}]}}}}`,
    ),
    { '[0].a': { start: 1, run: 3 }, hooks: {} },
    'Succeeded 9 s | w Succeeded | w[0].a Succeeded | w[0].a.hooks.run Succeeded | w[0].a.onExit Succeeded Succeeded',
  ],
  [
    'an exit hook that does not fit',
    steps(`{name: a, template: c, hooks: {exit: {template: say, expression: "steps.a.status == 'Failed'"}}}`),
    {},
    'Succeeded 1 s | w Succeeded | w[0].a Succeeded',
  ],
  [
    'exit handlers of a loop',
    steps('{name: a, template: c, withItems: [1, 2], onExit: say}'),
    {},
    'Succeeded 2 s | w Succeeded | w[0].a(0:1) Succeeded | w[0].a(1:2) Succeeded | w[0].a(0:1).onExit Succeeded | w[0].a(1:2).onExit Succeeded',
  ],
  [
    'a suspension that ends by itself gives its default',
    steps('{name: a, template: ask}', call('{{steps.a.outputs.parameters.p}}')),
    {},
    'Succeeded 6 s | w Succeeded | w[0].a Succeeded p=pp | w[1].z Succeeded pp',
  ],
  [
    'outputs of the workflow',
    steps('{name: a, template: global}', call('{{workflow.outputs.parameters.gg}}')),
    { '.a': { outputs: { parameters: { o: 'v1' } } } },
    'Succeeded 2 s | w Succeeded | w[0].a Succeeded | w[1].z Succeeded v1',
  ],
  [
    'outputs by expression and by default',
    outputs(
      "{name: e, valueFrom: {expression: \"steps.a.outputs.parameters.o + '!'\"}}, {name: d, valueFrom: {default: dv, parameter: \"{{steps.not.outputs.parameters.o}}\"}}, {name: c, valueFrom: {expression: \"steps.not.outputs.parameters.o ?? 'cc'\"}}, {name: t, valueFrom: {expression: \"steps.not.status == 'Skipped' ? 'sk' : ''\"}}",
    ),
    { '.a': { outputs: { parameters: { o: 'oo' } } } },
    'Succeeded 1 s | w Succeeded e=oo! d=dv c=cc t=sk | w[0].a Succeeded | w[0].not Skipped',
  ],
  [
    'an output of nothing',
    outputs('{name: e, valueFrom: {expression: steps.not.outputs.parameters.o}}'),
    { '.a': { outputs: { parameters: { o: 'oo' } } } },
    'Error 1 s: error in entry template execution: failed to evaluate expression "steps.not.outputs.parameters.o" | w Error | w[0].a Succeeded | w[0].not Skipped',
  ],
  [
    'a skipped step leaves the input its default',
    steps('{name: a, template: out, when: "false"}', call('{{steps.a.outputs.parameters.o}}')),
    {},
    'Succeeded 1 s | w Succeeded | w[0].a Skipped | w[1].z Succeeded',
  ],
  [
    'recursion',
    `{entrypoint: main, templates: [{name: main, inputs: {parameters: [{name: i, value: "2"}]}, steps: [[{name: r, template: main, when: "{{inputs.parameters.i}} > 0", arguments: {parameters: [{name: i, value: "{{=asInt(inputs.parameters.i) - 1}}"}]}}]]}]}`,
    {},
    'Succeeded 0 s | w Succeeded | w[0].r Succeeded | w[0].r[0].r Succeeded | w[0].r[0].r[0].r Skipped',
  ],
  [
    'workflow variables',
    steps(
      call(
        '{{workflow.name}} {{workflow.namespace}} {{workflow.mainEntrypoint}} {{workflow.creationTimestamp.Y}} {{workflow.labels.l}} {{workflow.parameters}} {{steps.name}}',
      ),
    ),
    {},
    'Succeeded 1 s | w Succeeded | w[0].z Succeeded w ns main 2026 v [{"name":"x","value":"x"},{"name":"num","value":"3"},{"name":"list","value":"[\\"a\\",\\"b\\"]"}] ',
  ],
  [
    'labels from expressions',
    main(
      'container: {image: a, command: [x], args: ["{{workflow.labels.made}} {{workflow.annotations.note}}"]}',
      `workflowMetadata: {annotations: {note: nn}, labelsFrom: {made: {expression: "workflow.parameters.x + '-y'"}}},`,
    ),
    {},
    'Succeeded 1 s | w Succeeded x-y nn',
  ],
  [
    'a label that is none',
    main('container: {image: a, command: [x]}', `workflowMetadata: {labelsFrom: {made: {expression: "'a b'"}}},`),
    {},
    'Error 0 s: invalid label value "a b" for label "made" and expression "\'a b\'"',
  ],
  [
    'memoized for a while',
    steps(
      '{name: a, template: memo}',
      '{name: b, template: memo}',
      '{name: x, template: c}',
      '{name: d, template: memo}',
    ),
    { '.x': { run: 20 } },
    'Succeeded 22 s | w Succeeded | w[0].a Succeeded | w[1].b Succeeded | w[2].x Succeeded | w[3].d Succeeded',
  ],
  [
    'a mutex in a loop',
    steps('{name: a, template: locked, withItems: [p, q], arguments: {parameters: [{name: m, value: x}]}}'),
    {},
    'Succeeded 2 s | w Succeeded | w[0].a(0:p) Succeeded x | w[0].a(1:q) Succeeded x',
  ],
  [
    'a mutex for each item',
    steps('{name: a, template: locked, withItems: [p, q], arguments: {parameters: [{name: m, value: "{{item}}"}]}}'),
    {},
    'Succeeded 1 s | w Succeeded | w[0].a(0:p) Succeeded p | w[0].a(1:q) Succeeded q',
  ],
  [
    "the end of the workflow's time",
    steps('{name: a, template: c}', '{name: b, template: c}').replace(
      '{ entry',
      '{activeDeadlineSeconds: 5, onExit: say, entry',
    ),
    { '.b': { run: 100 } },
    'Failed 6 s | w Failed | w[0].a Succeeded | w[1].b Failed | w.onExit Succeeded',
  ],
  [
    'stopped before it begins',
    steps('{name: a, template: c}').replace('{ entry', '{shutdown: Stop, onExit: say, entry'),
    {},
    'Failed 1 s | w Failed | w[0].a Failed | w.onExit Succeeded',
  ],
  [
    'terminated before it begins',
    steps('{name: a, template: c}').replace('{ entry', '{shutdown: Terminate, onExit: say, entry'),
    {},
    'Failed 0 s | w Failed | w[0].a Failed',
  ],
  [
    'a set of containers',
    main(
      'containerSet: {containers: [{name: main, image: a, command: [x]}, {name: b, image: a, command: [y], dependencies: [main]}]}',
    ),
    {},
    'Succeeded 1 s | w Succeeded | w.main Succeeded | w.b Succeeded',
  ],
  [
    'http',
    steps('{name: a, template: http}', call("{{=jsonpath(steps.a.outputs.result, '$.k')}}")),
    { '.a': { outputs: { result: '{"k":"v"}' } } },
    'Succeeded 2 s | w Succeeded | w[0].a Succeeded | w[1].z Succeeded v',
  ],
];

describe('workflows end as upstream ends them', () => {
  for (const [what, text, fates, ends] of rows) it(what, () => assert.equal(outcome(text, fates), ends));
});
