/** Exit codes of the `argocd` CLI, which scripts rely on. */
export const exitCodes = {
  success: 0,
  /** Wrong usage; for `diff`: there are differences. */
  usage: 1,
  differences: 1,
  /** Of `preview`: something cannot be rendered any more. */
  notRendered: 2,
  connectionFailure: 11,
  apiResponse: 12,
  notFound: 13,
  generic: 20,
} as const;
