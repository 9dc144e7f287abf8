/** What one metric wants. */
export interface Proposal {
  /** The metric, in the words of conditions and events. */
  readonly name: string;
  readonly replicas: number;
  /** `current` of the status's entry. */
  readonly shown: { averageUtilization?: number; averageValue?: string; value?: string };
}

/** How far from its target a metric may be before anything changes. */
const tolerance = 0.1;

/**
 * How many replicas bring a metric to its target (pkg/controller/podautoscaler/replica_calculator.go): `ratio` is its value
 * to its target, over `pods`. Pods that are not ready count as using nothing when that would scale up.
 */
export function proposal(of: {
  name: string;
  current: number;
  ratio: number;
  pods: number;
  unready?: number;
  shown: Proposal['shown'];
}): Proposal {
  const { name, current, ratio, pods, unready = 0, shown } = of;
  const result = (replicas: number): Proposal => ({ name, replicas, shown });
  const within = (value: number) => Math.abs(value - 1) <= tolerance;
  if (unready === 0 || ratio <= 1) return result(within(ratio) ? current : Math.ceil(ratio * pods));
  const tempered = (ratio * pods) / (pods + unready);
  if (within(tempered) || tempered < 1) return result(current);
  return result(Math.max(current, Math.ceil(tempered * (pods + unready))));
}
