import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { WorkflowSpec } from '../model/types.ts';
import { lintSpec } from './lint-spec.ts';
import { pathText } from './path-text.ts';

/** What is told of a spec: places and, where there are, upstream's words. */
function told(text: string): string[] {
  const spec = parseDocuments(text, { file: 'w.yaml' }).documents[0]?.value as unknown as WorkflowSpec;
  const found = lintSpec(spec, { templates: () => undefined }, { isTemplate: false });
  return found.map(({ path, told: theirs, message }) => `${pathText(path)}: ${theirs ?? message}`);
}

const template = (fields: string) => `{entrypoint: main, templates: [{name: main, ${fields}}]}`;
const pod = (fields: string) => template(`container: {image: a}, ${fields}`);
const said = '{name: say, inputs: {parameters: [{name: m, default: x}]}, container: {image: a}}';
const steps = (calls: string, more = '') =>
  `{entrypoint: main, templates: [{name: main, ${more} steps: [[${calls}]]}, ${said}]}`;
const dag = (tasks: string, more = '') =>
  `{entrypoint: main, templates: [{name: main, dag: {tasks: [${tasks}], ${more}}}, ${said}]}`;

const rows: readonly (readonly [spec: string, first: string])[] = [
  [template('container: {image: a}, suspend: {}'), 'templates[0]: templates.main multiple template types specified'],
  [steps('{name: a, template: say}', 'activeDeadlineSeconds: 5,'), 'is only valid for leaf templates'],
  [pod('activeDeadlineSeconds: soon'), 'must be a positive integer > 0 or an argo variable'],
  [steps('{name: a, template: say}', 'timeout: 5s,'), "Steps template doesn't support timeout field"],
  [
    dag('{name: a, template: say}').replace('dag:', 'pendingTimeout: 5s, dag:'),
    "DAG template doesn't support pendingTimeout",
  ],
  [pod('timeout: "20"'), 'main has invalid duration format in timeout'],
  [pod('parallelism: 2'), 'parallelism is only valid for steps and dag templates'],
  [pod('retryStrategy: {retryPolicy: Sometimes}'), 'Sometimes is not a valid RetryPolicy'],
  [pod('inputs: {parameters: [{name: a.b, value: x}]}'), "inputs.parameters[0].name: 'a.b' is invalid"],
  [pod('inputs: {artifacts: [{name: a, path: /x}, {name: a, path: /y}]}'), "artifacts[1].name 'a' is not unique"],
  [pod('inputs: {artifacts: [{name: a}]}'), "Artifact 'a' did not specify a path"],
  [pod('inputs: {artifacts: [{name: a, path: /x, git: {revision: v1}}]}'), 'inputs.artifacts.a.git.repo is required'],
  [
    steps('{name: a, template: say}', 'inputs: {artifacts: [{name: a, path: /x}]},'),
    'path only valid in container/script',
  ],
  [pod('outputs: {parameters: [{name: o}]}'), 'outputs.parameters.o does not have valueFrom or value specified'],
  [pod('outputs: {parameters: [{name: o, valueFrom: {default: x}}]}'), 'o: valueFrom type unspecified'],
  [pod('outputs: {parameters: [{name: o, valueFrom: {path: /x, parameter: y}}]}'), 'o: multiple valueFrom types'],
  [pod('outputs: {parameters: [{name: o, valueFrom: {expression: "1"}}]}'), 'o.path must be specified for container'],
  [
    steps('{name: a, template: say}', 'outputs: {parameters: [{name: o, valueFrom: {path: /x}}]},'),
    'o.parameter or expression must be specified for steps',
  ],
  [template('container: {command: [x]}'), 'main.container.image may not be empty'],
  [
    template(
      'container: {image: a, volumeMounts: [{name: v, mountPath: /x}]}, inputs: {artifacts: [{name: f, path: /x}]}',
    ),
    "inputs.artifacts[0].path '/x' already mounted in container.volumeMounts.v",
  ],
  [pod('sidecars: [{name: wait, image: a}]'), 'sidecars: "wait" is a reserved Argo container name'],
  [template('containerSet: {containers: [{name: b, image: a}, {name: b, image: a}]}'), "[1].name 'b' is not unique"],
  [template('containerSet: {containers: [{name: b, image: a, dependencies: [c]}]}'), "b dependency 'c' not defined"],
  [
    template('containerSet: {containers: [{name: b, image: a}]}, outputs: {artifacts: [{name: o, path: /o}]}'),
    'must have a container named "main" for input or output',
  ],
  [template('resource: {action: make}'), 'resource.action must be one of: get, create'],
  [template('resource: {action: create}'), 'either templates.main.resource.manifest or'],
  [
    template('resource: {action: apply, manifestFrom: {artifact: {name: f}}}'),
    'artifact f in `manifestFrom` refer to a non-exist artifact',
  ],
  [pod('metrics: {prometheus: [{name: a-b, help: h}]}'), "metric name 'a-b' is invalid"],
  [pod('metrics: {prometheus: [{name: ab}]}'), "metric 'ab' must contain a help string"],
  [steps('{name: a_b, template: say}'), "steps[0].name 'a_b' is invalid: name must consist of"],
  [
    steps('{name: a, template: say, withItems: [1], withParam: "[]"}'),
    'only one of withItems, withParam, withSequence',
  ],
  [steps('{name: a, template: say, withSequence: {count: 1, end: 2}}'), 'only one of count or end can be defined'],
  [
    steps('{name: a, template: say, withItems: [{k: 1}], arguments: {parameters: [{name: m, value: "{{item.j}}"}]}}'),
    'steps[0].a failed to resolve {{item.j}}',
  ],
  [steps('{name: a, template: say, arguments: {parameters: [{name: m}]}}'), 'arguments.m.value or'],
  [
    steps('{name: a, template: say, arguments: {artifacts: [{name: f, path: /x}]}}'),
    'arguments.f.from, artifact location, or key is required',
  ],
  [steps('{name: a, template: say, hooks: {run: {template: say}}}'), 'steps[0].a.run Expression required'],
  [steps('{name: a, template: say, templateRef: {name: x, template: y}}'), 'cannot be specified with templateRef'],
  [steps('{name: a, templateRef: {name: x}}'), 'steps[0].a template name is required'],
  [dag(''), 'templates.main must have at least one task'],
  [
    dag('{name: a, template: say}, {name: b, template: say, depends: a}, {name: c, template: say, dependencies: [a]}'),
    "dag.tasks[2].dependencies: templates.main cannot use both 'depends' and 'dependencies'",
  ],
  [
    dag('{name: a, template: say, continueOn: {failed: true}}, {name: b, template: say, depends: a}'),
    "dag.tasks[0].continueOn: templates.main cannot use 'continueOn' when using 'depends'",
  ],
  [dag('{name: 1a, template: say, depends: ""}, {name: b, template: say, dependencies: [1a]}'), ''],
  [dag('{name: a, template: say}, {name: 2b, template: say, dependencies: [a]}'), 'name cannot begin with a digit'],
  [dag('{name: a, template: say}, {name: b, template: say, depends: a.AllFailed}'), 'uses an items-based condition'],
  [dag('{name: a, template: say}', 'target: a b'), "target 'b' is not defined"],
  [
    pod('').replace('{entry', '{hooks: {run: {template: main}}, entry'),
    'spec.hooks.run: hooks.run Expression required',
  ],
  [pod('').replace('{entry', '{podGC: {strategy: Soon}, entry'), "podGC.strategy unknown strategy 'Soon'"],
  [pod('inputs: {parameters: {a: b}}'), 'inputs.parameters: parameters is a map, it must be a list'],
  [steps('{name: a, template: say}').replace('[[', '[').replace(']]', ']'), 'steps[0]: 0 is a map, it must be a list'],
  ['{entrypoint: main, arguments: {parameters: [x]}, templates: 5}', 'spec.templates: templates is a number'],
];

describe('rules of templates, steps and tasks', () => {
  for (const [spec, first] of rows)
    it(first || 'a name that nothing waits for may begin with a digit', () => {
      const [found = ''] = told(spec);
      assert.ok(first === '' ? found === '' : found.includes(first), found || 'nothing is told');
    });
  it('leave what may be right alone', () => {
    for (const spec of [
      template('suspend: {duration: "20"}, outputs: {parameters: [{name: p, valueFrom: {supplied: {}}}]}'),
      `{templateDefaults: {container: {image: a}}, ${template('container: {command: [x]}').slice(1)}`,
      steps('{name: "a-{{workflow.name}}", template: say, withParam: "[]", when: "{{item.x}} == 1"}'),
      steps('{name: a, template: say, withItems: [[1, 2]], when: "{{item.[0]}} == 1"}'),
      dag(
        '{name: a, template: say, continueOn: {failed: true}}, {name: b, template: say, dependencies: [a]}',
        'target: "{{x}}"',
      ),
      steps('{name: a, template: say, arguments: {parameters: [{name: m, value: "{{steps.name}}"}]}}'),
    ])
      assert.deepEqual(told(spec), []);
  });
});
