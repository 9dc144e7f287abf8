/** What is wrong with `consumerGroup.rebalanceStrategy`; undefined if nothing. */
export function rebalanceProblem(strategy: string | undefined): string | undefined {
  if (!strategy || strategy === 'range' || strategy === 'roundrobin') return undefined;
  return `consumerGroup.rebalanceStrategy ${strategy} is not supported; use range, which is the default, or roundrobin`;
}
