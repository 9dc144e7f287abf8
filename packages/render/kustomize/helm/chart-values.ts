import { type Printable, printYaml } from '@tiphys/yaml';
import { GoError, wrapped } from '../failure/go-error.ts';
import type { HelmChart } from '../kustomization/kustomization.ts';
import { strategicMerge } from '../patch/strategic-merge.ts';
import type { Scopes } from '../resource/cluster-scope.ts';
import { fromValue } from '../tree/from-value.ts';
import { Node, type Origin } from '../tree/node.ts';
import { readTree } from '../tree/read-tree.ts';
import { toValue } from '../tree/to-value.ts';

/** The text of a chart's values: of its file, with the inline ones by `valuesMerge`. Throws in Kustomize's words. */
export function chartValues(chart: HelmChart, file: { text: string; origin: Origin }, scopes: Scopes): string {
  const inline = chart.valuesInline as ReadonlyMap<string, Printable> | undefined;
  if (inline === undefined || inline.size === 0) return file.text;
  if (chart.valuesMerge === 'replace') return printYaml(inline);
  const own = parse(file.text, file.origin);
  const given = fromValue(inline);
  const merged =
    chart.valuesMerge === 'merge'
      ? strategicMerge(given, own, scopes.schemas)
      : strategicMerge(own, given, scopes.schemas);
  return printYaml(toValue(merged ?? Node.map()));
}

function parse(text: string, origin: Origin): Node {
  try {
    const tree = readTree(text, origin);
    if (tree === undefined && text.trim() === '') throw new GoError('EOF');
    return tree ?? Node.map();
  } catch (error) {
    throw wrapped(error, 'could not parse values file into rnode');
  }
}
