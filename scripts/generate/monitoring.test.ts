import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { ControllerMeasures } from '@tiphys/controller';
import { WorkQueue } from '@tiphys/kubernetes';
import { Metrics } from '@tiphys/metrics';
import { parseDocuments } from '@tiphys/yaml';
import { root } from '../architecture.ts';

const folder = join(root, 'deploy', 'chart', 'tiphys', 'monitoring');

/** Labels that Prometheus adds to everything that it scrapes from pods. */
const scraped = ['job', 'pod', 'instance', 'service', 'container', 'endpoint', 'namespace', 'le'];

/** What our processes measure: labels by the names that can be asked for. */
function measured(): Map<string, readonly string[]> {
  const metrics = new Metrics({ version: '1', applicationLabels: [], applicationConditions: [], clusterLabels: [] });
  new ControllerMeasures(metrics.families.registry).follow('rollout', new WorkQueue());
  const names = new Map<string, readonly string[]>();
  const registries = [metrics.controller, metrics.server, metrics.repositories, metrics.families].map(
    ({ registry }) => registry,
  );
  for (const registry of registries)
    for (const metric of registry.getMetricsAsArray()) {
      const {
        name,
        type,
        labelNames = [],
      } = metric as unknown as {
        name: string;
        type: string;
        labelNames?: readonly string[];
      };
      const suffixes = type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''];
      for (const suffix of suffixes) names.set(name + suffix, labelNames);
    }
  return names;
}

/** What an expression asks for; throws where it is no PromQL. */
function asked(text: string): { metrics: { name: string; labels: string[] }[]; groupings: string[] } {
  const metrics: { name: string; labels: string[] }[] = [];
  const groupings: string[] = [];
  let grouping = false;
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      assert.ok(!type.isError, `"${text}" is no PromQL at ${from}`);
      if (type.name === 'GroupingLabels') grouping = true;
      if (type.name === 'LabelName' && grouping) groupings.push(text.slice(from, to));
      if (type.name !== 'VectorSelector') return;
      const name = node.getChild('Identifier');
      assert.ok(name, `"${text}" asks for no metric by its name at ${from}`);
      const labels: string[] = [];
      node.cursor().iterate((inner) => {
        if (inner.type.name === 'LabelName' && inner.from >= from && inner.to <= to)
          labels.push(text.slice(inner.from, inner.to));
      });
      metrics.push({ name: text.slice(name.from, name.to), labels });
    },
    leave: ({ type }) => {
      if (type.name === 'GroupingLabels') grouping = false;
    },
  });
  return { metrics, groupings };
}

const processMetrics = /^process_(resident_memory_bytes|cpu_seconds_total)$/;

function check(text: string, where: string, names: ReadonlyMap<string, readonly string[]>): void {
  const { metrics, groupings } = asked(text);
  assert.ok(metrics.length > 0 || text.startsWith('vector('), `${where}: "${text}" asks for nothing`);
  const known = new Set(scraped);
  for (const { name, labels } of metrics) {
    const own = processMetrics.test(name) ? [] : names.get(name);
    assert.ok(own, `${where}: nothing measures ${name}`);
    for (const label of own) known.add(label);
    for (const label of labels)
      assert.ok(own.includes(label) || scraped.includes(label), `${where}: ${name} has no label ${label}`);
  }
  for (const label of groupings) assert.ok(known.has(label), `${where}: nothing of "${text}" has the label ${label}`);
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description?: string };
}

const groups = parseDocuments(readFileSync(join(folder, 'rules.yaml'), 'utf8'), {
  file: 'rules.yaml',
}).documents.flatMap(({ value }) => value as unknown as { name: string; rules: Rule[] }[]);

test('alerts ask for what our processes measure, and say what of it they name', () => {
  const names = measured();
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length > 8);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    check(expr, alert, names);
    assert.match(labels.severity, /^(warning|critical)$/);
    const { metrics, groupings } = asked(expr);
    const shown =
      groupings.length > 0 ? groupings : [...scraped, ...metrics.flatMap(({ name }) => names.get(name) ?? [])];
    for (const [, label] of Object.values(annotations)
      .join(' ')
      .matchAll(/\$labels\.(\w+)/g))
      assert.ok(shown.includes(label ?? ''), `${alert}: its text names the label ${label}, which it does not have`);
  }
});

test('panels of the dashboard ask for what our processes measure', () => {
  const names = measured();
  const dashboard = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[]; gridPos: { x: number; w: number } }[];
    templating: { list: { query: string; type: string }[] };
  };
  assert.ok(dashboard.panels.length > 10);
  for (const { title, targets, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (const { expr } of targets)
      check(expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(namespace|project)/g, '.*'), title, names);
  }
  for (const { query, type } of dashboard.templating.list) {
    if (type !== 'query') continue;
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    assert.ok(names.get(metric ?? '')?.includes(label ?? ''), query);
  }
});

test('the test of expressions refuses what is wrong', () => {
  const names = measured();
  assert.throws(() => check('sum(argocd_app_info', 'x', names), /no PromQL/);
  assert.throws(() => check('argocd_app_nothing > 1', 'x', names), /nothing measures/);
  assert.throws(() => check('argocd_app_info{colour="red"}', 'x', names), /no label colour/);
  assert.throws(() => check('sum by (colour) (argocd_app_info)', 'x', names), /label colour/);
});
