import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateRows } from './workflow-templates.ts';

test('templateRows() tells what each template is and runs, the entrypoint first', () => {
  const rows = templateRows(
    [
      { name: 'say', container: { image: 'alpine' } },
      { name: 'main', steps: [[{ name: 'a' }, { name: 'b' }], [{ name: 'c' }]] },
      { name: 'graph', dag: { tasks: [{ name: 'x' }, {}] } },
      { name: 'wait', suspend: {} },
      { name: 'ask', http: { url: 'https://example.com' } },
      { name: 'odd' },
    ],
    'main',
  );
  assert.deepEqual(
    rows.map(({ name, kind, what }) => [name, kind, what]),
    [
      ['main', 'steps', 'a, b, c'],
      ['say', 'container', 'alpine'],
      ['graph', 'dag', 'x'],
      ['wait', 'suspend', ''],
      ['ask', 'http', 'https://example.com'],
      ['odd', '', ''],
    ],
  );
});
