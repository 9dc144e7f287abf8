import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateFile } from './simulate-file.ts';

const simulate = (text: string) => simulateFile({ text, file: 'flow.yaml', seconds: 60 });
const spec = 'spec: {entrypoint: main, templates: [{name: main, container: {image: any, command: [work]}}]}';

test('a workflow without a name and metadata runs', () => {
  assert.match(simulate(`kind: Workflow\n${spec}\n`).timeline.at(-1) ?? '', / 1 s {2}Succeeded {2}workflow$/);
});

test('what cannot be run is refused as by lint, with its line', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(() => simulate(text), { name: 'VerbError', message });
  refused('kind: ConfigMap\n', /^flow.yaml has no object of kind Workflow$/);
  refused('kind: Workflow\nspec: 5\n', /^flow.yaml:2: Workflow : entrypoint is missing\n {2}→ Add spec.entrypoint/);
  refused(`kind: Workflow\nmetadata: 3\n${spec}\n`, /^flow.yaml: metadata must be a map$/);
  refused(`kind: Workflow\n${spec.replace('entrypoint', 'entrypiont')}\n`, /^flow.yaml:2: Workflow : .*entrypiont/);
});
