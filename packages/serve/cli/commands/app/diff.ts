import { printYaml } from '@tiphys/yaml';
import { createTwoFilesPatch } from 'diff';
import type { ManagedResource } from '../../client/application-api.ts';
import { type Output, paint } from '../../terminal/output.ts';

/** Prints what differs between live and desired, object by object; true if anything does. */
export function printDifferences(output: Output, resources: readonly ManagedResource[]): boolean {
  let found = false;
  for (const resource of resources) {
    if (resource.hook) continue;
    const live = text(resource.normalizedLiveState);
    const desired = text(resource.predictedLiveState);
    if (live === desired) continue;
    found = true;
    const { group = '', kind, namespace = '', name } = resource;
    output.out(paint(output, 'bold', `\n===== ${group}/${kind} ${namespace}/${name} ======`));
    const patch = createTwoFilesPatch('live', 'desired', live, desired, '', '', { context: 3 });
    // The first four lines name files, which the heading has said already.
    for (const line of patch.split('\n').slice(4)) output.out(colourLine(output, line));
  }
  return found;
}

function text(state: string | undefined): string {
  if (!state || state === 'null') return '';
  return printYaml(JSON.parse(state));
}

function colourLine(output: Output, line: string): string {
  if (line.startsWith('+')) return paint(output, 'green', line);
  if (line.startsWith('-')) return paint(output, 'red', line);
  return line.startsWith('@@') ? paint(output, 'cyan', line) : line;
}
