export const applicationHeader = 'argocd-application-name';
export const projectHeader = 'argocd-project-name';

/** What the server itself tells a backend of the request. */
export const toldHeaders = [
  'argocd-namespace',
  'argocd-target-cluster-name',
  'argocd-target-cluster-url',
  'argocd-username',
  'argocd-user-id',
  'argocd-user-groups',
] as const;

export type ToldHeader = (typeof toldHeaders)[number];

const reserved: ReadonlySet<string> = new Set([applicationHeader, projectHeader, ...toldHeaders]);

/** Whether settings may not say what it holds: a backend trusts it. */
export function isReservedHeader(name: string): boolean {
  return reserved.has(name.toLowerCase());
}

/** Of one connection, and of HTTP/2. */
const ofOneHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|:.*)$/;

export function isOfOneHop(name: string): boolean {
  return ofOneHop.test(name);
}
