interface Policy {
  type: 'Pods' | 'Percent';
  value: number;
  periodSeconds: number;
}

interface Rules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: 'Max' | 'Min' | 'Disabled';
  policies?: Policy[];
}

export interface Behavior {
  scaleUp?: Rules;
  scaleDown?: Rules;
}

const defaults: { scaleUp: Required<Rules>; scaleDown: Required<Rules> } = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  },
};

type Told = [type: string, status: 'True' | 'False', reason: string, message: string];

/** What one autoscaler wanted and did lately. */
export class ScalingHistory {
  #recommendations: { at: number; replicas: number }[] = [];
  #changes: { at: number; by: number }[] = [];

  /** How far the wish may be followed now, and the conditions that tell why not further. */
  limit(
    wish: number,
    {
      now,
      current,
      min,
      max,
      behavior = {},
    }: { now: number; current: number; min: number; max: number; behavior?: Behavior | undefined },
  ): { replicas: number; told: Told[] } {
    const up = { ...defaults.scaleUp, ...behavior.scaleUp };
    const down = { ...defaults.scaleDown, ...behavior.scaleDown };
    const within = (seconds: number) => this.#recommendations.filter(({ at }) => at > now - seconds * 1000);
    const highest = Math.max(wish, ...within(down.stabilizationWindowSeconds).map(({ replicas }) => replicas));
    const lowest = Math.min(wish, ...within(up.stabilizationWindowSeconds).map(({ replicas }) => replicas));
    this.#recommendations = [...within(3600), { at: now, replicas: wish }];
    const stable = current < lowest ? lowest : current > highest ? highest : current;
    const told: Told[] = [stabilized(wish, stable)];
    const [allowed, limited] = this.#paced(stable, { now, current, up, down });
    if (allowed > max)
      told.push([
        'ScalingLimited',
        'True',
        'TooManyReplicas',
        'the desired replica count is more than the maximum replica count',
      ]);
    else if (allowed < min)
      told.push([
        'ScalingLimited',
        'True',
        'TooFewReplicas',
        'the desired replica count is less than the minimum replica count',
      ]);
    else
      told.push(
        limited ?? [
          'ScalingLimited',
          'False',
          'DesiredWithinRange',
          'the desired count is within the acceptable range',
        ],
      );
    return { replicas: Math.min(max, Math.max(min, allowed)), told };
  }

  changed(now: number, by: number): void {
    this.#changes = [...this.#changes.filter(({ at }) => at > now - 3600_000), { at: now, by }];
  }

  /** What the policies allow in one step. */
  #paced(
    wish: number,
    { now, current, up, down }: { now: number; current: number; up: Required<Rules>; down: Required<Rules> },
  ): [replicas: number, limited?: Told] {
    if (wish === current) return [wish];
    const sign = wish > current ? 1 : -1;
    const { selectPolicy, policies } = sign > 0 ? up : down;
    const limits = policies.map(({ type, value, periodSeconds }) => {
      const recent = this.#changes.filter(({ at, by }) => at > now - periodSeconds * 1000 && Math.sign(by) === sign);
      const before = current - recent.reduce((sum, { by }) => sum + by, 0);
      if (type === 'Pods') return before + sign * value;
      return sign > 0 ? Math.ceil(before * (1 + value / 100)) : Math.floor(before * (1 - value / 100));
    });
    const furthest = (selectPolicy === 'Max') === sign > 0;
    const limit = selectPolicy === 'Disabled' ? current : furthest ? Math.max(...limits) : Math.min(...limits);
    if (sign > 0 ? wish <= limit : wish >= limit) return [wish];
    const way = sign > 0 ? ['ScaleUpLimit', 'increasing'] : ['ScaleDownLimit', 'decreasing'];
    const text = `the desired replica count is ${way[1]} faster than the maximum scale rate`;
    return [
      sign > 0 ? Math.max(limit, current) : Math.min(limit, current),
      ['ScalingLimited', 'True', way[0] ?? '', text],
    ];
  }
}

function stabilized(wish: number, stable: number): Told {
  if (stable > wish)
    return [
      'AbleToScale',
      'True',
      'ScaleDownStabilized',
      'recent recommendations were higher than current one, applying the highest recent recommendation',
    ];
  if (stable < wish)
    return [
      'AbleToScale',
      'True',
      'ScaleUpStabilized',
      'recent recommendations were lower than current one, applying the lowest recent recommendation',
    ];
  return ['AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size'];
}
