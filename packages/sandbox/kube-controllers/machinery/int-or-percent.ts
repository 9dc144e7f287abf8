/** A count or a share of a total, as `intstr.GetScaledValueFromIntOrPercent`; what is neither counts as 0. */
export function scaledValue(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const scaled = (Number(percent) * total) / 100;
  return round === 'up' ? Math.ceil(scaled) : Math.floor(scaled);
}
