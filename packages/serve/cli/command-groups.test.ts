import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addCommands } from './command-groups.ts';
import type { Surroundings } from './terminal/command-context.ts';

async function helpOf(everything: boolean): Promise<string> {
  const program = new Command('tiphys');
  await addCommands(
    program,
    { env: {}, output: { out: () => undefined, error: () => undefined, colours: false } } as unknown as Surroundings,
    { words: [], everything },
  );
  return program.helpInformation();
}

test('the help says of commands that are not loaded what they say themselves', async () => {
  assert.equal(await helpOf(false), await helpOf(true));
});

test('a word loads the commands of its group', async () => {
  const program = new Command('tiphys');
  await addCommands(
    program,
    { env: {}, output: { out: () => undefined, error: () => undefined, colours: false } } as unknown as Surroundings,
    { words: ['--server', 'x', 'wf', 'lint'], everything: false },
  );
  const loaded = program.commands.filter(({ commands }) => commands.length > 0).map((command) => command.name());
  assert.deepEqual(loaded, ['workflows']);
});
