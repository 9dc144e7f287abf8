export { checkedAddresses, guarded } from './dial.ts';
export { addressProblem, type OutboundPolicy, readOutboundPolicy, setOutboundPolicy } from './policy.ts';
