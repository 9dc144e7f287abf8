import { type SpecProblem, wrong } from './spec-problem.ts';
/** What is wrong with `consumerGroup.rebalanceStrategy`; undefined if nothing. */
export function rebalanceProblem(strategy: string | undefined): SpecProblem | undefined {
  if (!strategy || strategy === 'range' || strategy === 'roundrobin') return undefined;
  return wrong(
    'consumerGroup.rebalanceStrategy',
    `consumerGroup.rebalanceStrategy ${strategy} is not supported; use range, which is the default, or roundrobin`,
    'Write range or roundrobin',
  );
}
