/**
 * Which Kubernetes Events are written, as ARGOCD_ENABLE_K8S_EVENT says it: `all` (as if absent), `none`, or reasons separated
 * by commas. Upstream's rule: the first `all` or `none` decides.
 */
export function enabledEvents(text: string | undefined): (reason: string) => boolean {
  const wanted = (text || 'all')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  const whole = wanted.find((item) => item === 'all' || item === 'none');
  if (whole) return () => whole === 'all';
  return (reason) => wanted.includes(reason);
}
