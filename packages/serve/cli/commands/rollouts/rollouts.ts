import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Timeline } from '@tiphys/rollouts';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Output, paint, structured, table } from '../../terminal/output.ts';
import { addRolloutVerbs } from './verbs.ts';

const unreadable = defineDiagnosis('SimulationFileUnreadable', 'A file of a simulation cannot be read.');

interface SimulateOptions {
  metrics?: string;
  promote?: boolean;
  horizon: string;
  output: string;
}

/** `tiphys rollouts …`: the verbs of kubectl's plugin, and what is done with Rollouts without a cluster. */
export function addRolloutsCommands(program: Command, surroundings: Surroundings): void {
  const rollouts = program.command('rollouts').description('Rollouts: get, promote, abort, undo …, and simulate');
  addRolloutVerbs(rollouts, surroundings);
  rollouts
    .command('simulate <file>')
    .description('Play an update of a Rollout on a clock of its own, with metrics from a table, and print the timeline')
    .option(
      '--metrics <csv>',
      'Table of metrics: a line time,NAME,…; then a time since the update and a value for each',
    )
    .option('--promote', 'Promote at pauses without an end; otherwise the first one ends the simulation')
    .option('--horizon <seconds>', 'Seconds after which the simulation ends', '86400')
    .option('-o, --output <format>', 'text, json or yaml', 'text')
    .action((file: string, options: SimulateOptions) => simulate(file, options, surroundings));
}

async function simulate(file: string, options: SimulateOptions, { output, workdir }: Surroundings): Promise<void> {
  const { simulateRollout } = await import('@tiphys/rollouts');
  const { documents } = parseDocuments(read(workdir, file), { file });
  const timeline = await simulateRollout({
    objects: documents.map(({ value }): unknown => value).filter(isObject),
    metrics: options.metrics ? { text: read(workdir, options.metrics), file: options.metrics } : undefined,
    promotes: options.promote === true,
    horizon: (Number(options.horizon) || 86_400) * 1000,
  });
  if (options.output === 'json' || options.output === 'yaml') output.out(structured(options.output, timeline));
  else print(output, timeline);
  if (timeline.phase === 'Degraded') throw new Exit(exitCodes.generic);
}

function print(output: Output, { entries, phase, message, duration }: Timeline): void {
  const rows = entries.map(({ at, what, message: text, isWarning }) => [
    `+${clock(at)}`,
    isWarning ? paint(output, 'yellow', what) : what,
    text,
  ]);
  output.out(table([['TIME', 'WHAT', 'MESSAGE'], ...rows]));
  const colour = phase === 'Healthy' ? 'green' : phase === 'Degraded' ? 'red' : 'yellow';
  output.out(`\n${paint(output, colour, phase)} after ${clock(duration)}${message ? `: ${message}` : ''}`);
}

/** Hours, minutes and seconds. */
function clock(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function read(workdir: string, file: string): string {
  try {
    return readFileSync(resolve(workdir, file), 'utf8');
  } catch (error) {
    throw failure(unreadable, { message: `${file} cannot be read: ${(error as Error).message}`, place: { file } });
  }
}

function isObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && 'kind' in value && 'metadata' in value;
}
