/** Whether labels have all that is wanted of them. */
export function labelsMatch(wanted: Record<string, string> | undefined, labels: Record<string, string> = {}): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => labels[key] === value);
}
