export { type DispatcherOptions, GuardedAgent, GuardedSecureAgent, guardedDispatcher } from './agents.ts';
export { checkedAddresses, checkHosts, guarded, guardedHost, isProxied, isUnresolved } from './dial.ts';
export { guardedSessions } from './guarded-sessions.ts';
export { addressProblem, type OutboundPolicy, readOutboundPolicy, setOutboundPolicy, trustHosts } from './policy.ts';
