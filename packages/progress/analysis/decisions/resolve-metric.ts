import { invalidAnalysis } from '../model/diagnoses.ts';
import type { Argument, Metric } from '../model/types.ts';

/** What stands for a secret's value where only the shape of a metric matters. */
const secretStandIn = 'temp-for-secret';

/** The metric with `{{args.name}}` replaced in every text of it. Throws for an argument without value or of no such name. */
export function resolveMetric(metric: Metric, args: readonly Argument[]): Metric {
  const values = new Map<string, string>();
  for (const { name, value } of args) {
    if (value === undefined) throw invalidAnalysis(`argument "${name}" was not supplied`);
    values.set(`args.${name}`, value);
  }
  return resolveValue(metric, values) as Metric;
}

/** The metrics with stand-ins for what comes from Secrets: for decisions and for what is shown. */
export function resolveWithoutSecrets(metrics: readonly Metric[], args: readonly Argument[] = []): Metric[] {
  const shown = args.map((arg) =>
    arg.valueFrom?.secretKeyRef ? { name: arg.name, value: arg.value ?? secretStandIn } : arg,
  );
  return metrics.map((metric) => resolveMetric(metric, shown));
}

function resolveValue(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return resolveText(value, values);
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [resolveText(key, values), resolveValue(item, values)]),
  );
}

/** A text with `{{name}}` replaced by the values; blanks around a name do not count. */
export function resolveText(text: string, values: ReadonlyMap<string, string>): string {
  let resolved = '';
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2);
    if (close < 0)
      throw invalidAnalysis(
        `Cannot find end tag="}}" in the template=${JSON.stringify(text)} starting from ${JSON.stringify(text.slice(open + 2))}`,
      );
    const tag = text.slice(open + 2, close);
    const value = values.get(tag.trim());
    if (value === undefined) throw invalidAnalysis(`failed to resolve {{${tag}}}`);
    resolved += text.slice(at, open) + value;
    at = close + 2;
  }
  return resolved + text.slice(at);
}
